/**
 * Entry of the Lines page in VS Code.
 */
import { render } from 'preact';
import '../shared/icons.css';
import '../shared/shell.css';
import './lines.css';
import { vscodeTransport } from '../shared/transport';
import { LinesPage } from './LinesPage';

const root = document.getElementById('root');
if (root) {
  render(<LinesPage transport={vscodeTransport()} run={root.dataset.run === '' ? null : (root.dataset.run ?? null)} />, root);
}

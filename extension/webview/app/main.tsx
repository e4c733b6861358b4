/**
 * Entry of the app: in VS Code, or in a plain browser.
 */
import { render } from 'preact';
import '../shared/icons.css';
import '../shared/shell.css';
import '../shared/controls.css';
import '../shared/table/table.css';
import '../shared/chart/chart.css';
import './app.css';
import { httpTransport } from '../shared/http';
import { vscodeTransport } from '../shared/vscode';
import { App } from './App';
import { isPage } from './pages';

const root = document.getElementById('root');
if (root) {
  const transport = 'acquireVsCodeApi' in window ? vscodeTransport() : httpTransport(isPage);
  render(<App transport={transport} run={root.dataset.run === '' ? null : (root.dataset.run ?? null)} />, root);
}

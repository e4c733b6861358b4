// `npm run demo`: from a fresh clone to what each line of a small training program costs, and how to see it in the editor.
import path from 'node:path';
import { main, must, shown, step } from './lib/process.mjs';
import { venvKinetoscope } from './lib/python.mjs';
import { setup } from './setup.mjs';

const EXAMPLE = path.join('examples', 'train_mlp.py');
const PAGE = path.join('.kinetoscope', 'train_mlp.html');

async function demo() {
  await setup();
  await step(`Profile ${EXAMPLE}`, () => must(venvKinetoscope, ['profile', EXAMPLE]));
  await must(venvKinetoscope, ['report', '--html', PAGE]);
  console.log(`
The run is in .kinetoscope/. To look at it:

  In VS Code    npm run package && code --install-extension kinetoscope.vsix
                then open this folder: ${EXAMPLE} shows what each line cost. Right-click in any script → Profile this script.
  In a browser  ${PAGE} (written by: ${shown(venvKinetoscope)} report --html ${PAGE})
  In a terminal ${shown(venvKinetoscope)} report --view lines           (--json for all numbers, --metric memory to rank by bytes)
`);
}

await main(import.meta.url, demo);

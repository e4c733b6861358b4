// `npm run demo`: from a fresh clone to what each line of a small training program costs, and how to see it in the editor.
import path from 'node:path';
import { main, must, step } from './lib/process.mjs';
import { venvKinetoscope } from './lib/python.mjs';
import { setup } from './setup.mjs';

const EXAMPLE = path.join('examples', 'train_mlp.py');

async function demo() {
  await setup();
  await step(`Profile ${EXAMPLE}`, () => must(venvKinetoscope, ['profile', EXAMPLE]));
}

await main(import.meta.url, demo);

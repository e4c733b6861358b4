// `npm run setup`: everything that a checkout needs to run, from nothing: npm packages and `.venv` with the server and PyTorch.
// Needs Node and Python only. The second run finds all in place and costs a fraction of a second.
import { ensurePackages } from './lib/packages.mjs';
import { main } from './lib/process.mjs';
import { ensureVenv } from './lib/python.mjs';

export async function setup() {
  const start = performance.now();
  await ensurePackages();
  await ensureVenv();
  console.log(`Set up: npm packages and .venv are ready (${((performance.now() - start) / 1000).toFixed(1)} s)`);
}

await main(import.meta.url, setup);

/**
 * Before all tests of the extension: its pages are built, once, for those that open them in a browser.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';

export default function build(): void {
  execFileSync(process.execPath, [path.resolve(import.meta.dirname, '../../scripts/build.mjs')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

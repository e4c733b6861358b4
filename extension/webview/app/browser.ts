/**
 * A plain browser as a place for the pages: it has no theme of VS Code's. Its variables come from browser.css, and its kind is said as a class of
 * the body, as VS Code does it, which is followed when the system's changes. Loaded before the app, and only there.
 */
import './browser.css';

const DARK = '(prefers-color-scheme: dark)';
const CONTRAST = '(prefers-contrast: more)';
const FORCED = '(forced-colors: active)';

const KINDS = ['vscode-light', 'vscode-dark', 'vscode-high-contrast-light', 'vscode-high-contrast'] as const;

function kind(): (typeof KINDS)[number] {
  const [dark, contrast, forced] = [DARK, CONTRAST, FORCED].map((query) => matchMedia(query).matches);
  if (contrast || forced) {
    return dark ? 'vscode-high-contrast' : 'vscode-high-contrast-light';
  }
  return dark ? 'vscode-dark' : 'vscode-light';
}

function follow(): void {
  document.body.classList.remove(...KINDS);
  document.body.classList.add(kind());
}

for (const query of [DARK, CONTRAST, FORCED]) {
  matchMedia(query).addEventListener('change', follow);
}
follow();

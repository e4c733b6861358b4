/**
 * The HTML of a page: our script and style and nothing else. All text comes in later as data, so no name can become markup.
 */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/** `run` is handed to the page as data of its root element, for its saved state. */
export function pageHtml(webview: vscode.Webview, root: vscode.Uri, name: string, title: string, run: string | null): string {
  const nonce = randomBytes(16).toString('base64');
  const file = (suffix: string) => webview.asWebviewUri(vscode.Uri.joinPath(root, `${name}.${suffix}`)).toString();
  const csp = [
    `default-src 'none'`,
    `img-src ${webview.cspSource}`,
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    `script-src 'nonce-${nonce}'`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta http-equiv="Content-Security-Policy" content="${csp}">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <link rel="stylesheet" href="${file('css')}">
  <title>${escapeHtml(title)}</title>
</head>
<body>
  <main id="root" data-run="${escapeHtml(run ?? '')}"></main>
  <script type="module" nonce="${nonce}" src="${file('js')}"></script>
</body>
</html>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

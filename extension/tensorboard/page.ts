/**
 * The page around TensorBoard: its frame, and a script that hands on the messages of that frame and of no other.
 */
import { randomBytes } from 'node:crypto';

/** `address`: as the editor's window reaches it. */
export function tensorBoardHtml(address: string): string {
  const nonce = randomBytes(16).toString('base64');
  const { origin } = new URL(address);
  const csp = [`default-src 'none'`, `frame-src ${origin}`, `style-src 'nonce-${nonce}'`, `script-src 'nonce-${nonce}'`].join('; ');
  const source = new URL(address);
  source.hash = '#pytorch_profiler';
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta http-equiv="Content-Security-Policy" content="${csp}">
  <style nonce="${nonce}">
    html, body { height: 100%; margin: 0; padding: 0; overflow: hidden; }
    iframe { display: block; width: 100%; height: 100%; border: 0; }
  </style>
  <title>TensorBoard</title>
</head>
<body>
  <iframe title="TensorBoard" src="${attribute(source.href)}" data-origin="${attribute(origin)}"
    sandbox="allow-scripts allow-forms allow-same-origin allow-downloads allow-popups"></iframe>
  <script nonce="${nonce}">
    const api = acquireVsCodeApi();
    const { origin } = document.querySelector('iframe').dataset;
    window.addEventListener('message', (event) => {
      if (event.origin === origin) {
        api.postMessage(event.data);
      }
    });
  </script>
</body>
</html>`;
}

function attribute(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

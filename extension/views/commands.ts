/**
 * The commands of the pages, as package.json names them: `kinetoscope.show.<page>` opens the app on a page, `kinetoscope.reveal.<page>` shows the line
 * under the cursor there.
 */
import * as vscode from 'vscode';
import { asProblem, problemText } from '../problem';
import type { Server } from '../server/server';
import type { AppPanels } from './appPanel';
import type { PageId } from './messages';

interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: string }[] };
}

export function pageCommands(
  extension: vscode.Extension<unknown>,
  server: Server,
  panels: AppPanels,
): Readonly<Record<string, () => unknown>> {
  const { contributes } = extension.packageJSON as Manifest;
  const named = contributes.commands.flatMap(({ command }) => {
    const [, verb, page] = /^kinetoscope\.(show|reveal)\.(\w+)$/.exec(command) ?? [];
    // SAFETY: a test holds that the commands are those of the pages.
    return page === undefined ? [] : [{ command, verb, page: page as PageId }];
  });
  return Object.fromEntries(
    named.map(({ command, verb, page }) => [
      command,
      verb === 'show' ? () => panels.show(null, { page }) : async () => await reveal(page, server, panels),
    ]),
  );
}

async function reveal(page: PageId, server: Server, panels: AppPanels): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    return;
  }
  try {
    const uri = editor.document.uri.toString();
    const { run, file, line, reason } = await server.request('kinetoscope/lines/at', { uri, line: editor.selection.active.line + 1 });
    if (file === null || line === null) {
      void vscode.window.showInformationMessage(reason ?? 'This line has no cost in the active run.');
    } else {
      panels.show(run, { page, target: { line: { file, line } } });
    }
  } catch (error) {
    void vscode.window.showErrorMessage(problemText(asProblem(error, '')).trim());
  }
}

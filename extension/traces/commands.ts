/**
 * The commands that open traces: a file by a dialog, files and folders of the explorer. A folder is searched by the server; where it has more than
 * one trace the user picks.
 */
import * as path from 'node:path';
import * as vscode from 'vscode';
import { asProblem, problemText } from '../problem';
import type { Server } from '../server/server';
import type { FoundTraces } from '../server/wire';
import type { AppPanels } from '../views/appPanel';
import { editorFor } from './names';
import { pickGroups } from './pick';
import type { Row } from './pick';

/** Opens one trace file, whatever its name. */
export async function openTraceFile(file: vscode.Uri): Promise<void> {
  await vscode.commands.executeCommand('vscode.openWith', file, editorFor(path.posix.basename(file.path)));
}

export function traceCommands(server: Server, panels: AppPanels): Readonly<Record<string, (...args: never[]) => unknown>> {
  const openRow = async ({ run, trace }: Row) => {
    if (run) {
      panels.show(run.path);
    } else if (trace) {
      await openTraceFile(vscode.Uri.file(trace.path));
    }
  };
  const openFolder = async (folder: string) => {
    const found = await find(server, folder);
    if (found === undefined) {
      return;
    }
    const groups = pickGroups(found, new Date());
    const rows = groups.flatMap((group) => group.rows);
    const [only] = rows;
    if (only === undefined) {
      void vscode.window.showWarningMessage(found.note ?? `There is nothing to open in ${folder}.`);
    } else if (rows.length === 1) {
      await openRow(only);
    } else {
      const items = groups.flatMap(({ title, rows: ofGroup }) => [
        { label: title, kind: vscode.QuickPickItemKind.Separator },
        ...ofGroup.map(({ label, description, ...row }) => ({ label, description, row: { label, description, ...row } })),
      ]);
      const options = { title: `Traces in ${path.basename(folder)}`, placeHolder: found.note ?? 'Trace to open', matchOnDescription: true };
      const picked = await vscode.window.showQuickPick<vscode.QuickPickItem & { row?: Row }>(items, options);
      if (picked?.row) {
        await openRow(picked.row);
      }
    }
  };
  const open = async (uri: vscode.Uri) => {
    const { type } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.Directory) === 0) {
      // An editor that can't read the file says so itself.
      await openTraceFile(uri);
    } else {
      await openFolder(uri.fsPath);
    }
  };
  const openAll = async (uris: readonly vscode.Uri[]) => {
    for (const uri of uris) {
      try {
        await open(uri);
      } catch (error) {
        void vscode.window.showErrorMessage(problemText(asProblem(error, '')).trim());
      }
    }
  };
  return {
    'kinetoscope.openTrace': async () => {
      const filters = { Traces: ['json', 'gz', 'zst'], 'All files': ['*'] };
      await openAll((await vscode.window.showOpenDialog({ title: 'Open trace', openLabel: 'Open', filters, canSelectMany: true })) ?? []);
    },
    'kinetoscope.openWithKinetoscope': async (uri?: vscode.Uri, selected?: readonly vscode.Uri[]) =>
      await openAll(selected !== undefined && selected.length > 0 ? selected : uri ? [uri] : []),
  };
}

async function find(server: Server, folder: string): Promise<FoundTraces | undefined> {
  return await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: `Looking for traces in ${path.basename(folder)}` },
    async () => await server.request('kinetoscope/traces/find', { folder }),
  );
}

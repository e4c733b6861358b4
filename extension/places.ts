/**
 * Which folders hold the runs of this window.
 */
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { expandVariables } from './settings';

/** The folder that gets the runs of a file: `kinetoscope.outputFolder` in its workspace folder, else beside the file. */
export function runFolderOf(file: vscode.Uri): string {
  const folder = vscode.workspace.getWorkspaceFolder(file);
  return outputFolder(folder?.uri.fsPath ?? path.dirname(file.fsPath), folder?.uri ?? file);
}

/** The run folders of all workspace folders. */
export function runFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => outputFolder(uri.fsPath, uri));
}

/** Whether there is any run to show: an empty window needs no server. */
export function anyRuns(folders: readonly string[]): boolean {
  return folders.some((folder) => {
    try {
      return fs.readdirSync(folder, { withFileTypes: true }).some((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
    } catch {
      return false;
    }
  });
}

function outputFolder(base: string, scope: vscode.Uri): string {
  const setting = vscode.workspace.getConfiguration('kinetoscope', scope).get('outputFolder', '');
  const expanded = expandVariables(setting, { workspaceFolder: base, home: os.homedir(), env: process.env });
  return path.resolve(base, expanded === '' ? '.kinetoscope' : expanded);
}

/**
 * The server's state in the language status (the `{}` of a Python file): visible where one looks for it, silent otherwise.
 */
import * as vscode from 'vscode';
import type { Server, ServerState } from './server';

const TEXT: Readonly<Record<ServerState, string>> = {
  idle: 'starts when there is a run',
  starting: 'starting…',
  running: 'ready',
  failed: "can't start",
};

export function serverStatusItem(server: Server): vscode.Disposable {
  const item = vscode.languages.createLanguageStatusItem('kinetoscope.server', { language: 'python' });
  item.name = 'Kinetoscope';
  const update = (state: ServerState) => {
    // Empty views say why they are empty by this.
    void vscode.commands.executeCommand('setContext', 'kinetoscope.server', state);
    item.text = `Kinetoscope: ${TEXT[state]}`;
    item.busy = state === 'starting';
    item.severity = state === 'failed' ? vscode.LanguageStatusSeverity.Error : vscode.LanguageStatusSeverity.Information;
    item.command =
      state === 'failed' ? { command: 'kinetoscope.restartServer', title: 'Retry' } : { command: 'kinetoscope.showLog', title: 'Show Log' };
  };
  update(server.state);
  return vscode.Disposable.from(item, server.onDidChangeState(update));
}

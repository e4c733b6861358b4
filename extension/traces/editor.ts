/**
 * Trace files as editors: a file of Kineto opens as the app on it. Nothing of the file is loaded here, whatever its size: the server
 * reads it.
 */
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Problem } from '../problem';
import type { Server } from '../server/server';
import type { AppPanels } from '../views/appPanel';
import { OTHER_TRACE_EDITOR, TRACE_EDITOR } from './names';

export class TraceEditors implements vscode.CustomReadonlyEditorProvider, vscode.Disposable {
  /** By document; a document has at most one editor. */
  private readonly open = new Map<vscode.CustomDocument, string>();
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly panels: AppPanels,
  ) {
    this.subscription = vscode.Disposable.from(
      vscode.window.registerCustomEditorProvider(TRACE_EDITOR, this),
      vscode.window.registerCustomEditorProvider(OTHER_TRACE_EDITOR, this),
      // What was opened while the server started is not among the options that it was started with.
      server.onDidChangeState((state) => {
        if (state === 'running') {
          this.tell();
        }
      }),
    );
  }

  /** Paths of the traces that are open. */
  get paths(): string[] {
    return [...new Set(this.open.values())];
  }

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => undefined };
  }

  resolveCustomEditor(document: vscode.CustomDocument, panel: vscode.WebviewPanel): void {
    const { uri } = document;
    if (uri.scheme !== 'file') {
      this.panels.fill(panel, uri.toString(), notOnDisk(uri));
      return;
    }
    this.open.set(document, uri.fsPath);
    panel.onDidDispose(() => {
      this.open.delete(document);
      this.tell();
    });
    this.panels.fill(panel, uri.fsPath);
    this.tell();
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private tell(): void {
    void this.server.notify('kinetoscope/traces/opened', { paths: this.paths });
  }
}

function notOnDisk(uri: vscode.Uri): Problem {
  return {
    what: `${path.posix.basename(uri.path)} is not a file on this machine but of the kind “${uri.scheme}”, which can't be read by the server.`,
    remedy: 'Copy the trace into a folder on the disk and open it there.',
  };
}

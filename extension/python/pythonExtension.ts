/**
 * The Microsoft Python extension behind a small front: used where it is installed, never required.
 */
import { PythonExtension } from '@vscode/python-extension';
import * as vscode from 'vscode';

const ID = 'ms-python.python';

/** The selected interpreter for a file or folder; undefined where the extension is absent, fails, or names an invalid environment. */
export async function selectedInterpreter(resource: vscode.Uri | undefined, log: vscode.LogOutputChannel): Promise<string | undefined> {
  if (!pythonExtensionInstalled()) {
    return undefined;
  }
  try {
    const api = await PythonExtension.api();
    await api.ready;
    const { environments } = api;
    const environment = await environments.resolveEnvironment(environments.getActiveEnvironmentPath(resource));
    return environment?.executable.uri?.fsPath;
  } catch (error) {
    log.warn(`The Python extension could not name an interpreter: ${String(error)}`);
    return undefined;
  }
}

export function pythonExtensionInstalled(): boolean {
  return vscode.extensions.getExtension(ID) !== undefined;
}

/** Calls back when another interpreter is selected there. Does not activate the extension by itself. */
export function onSelectedInterpreterChanged(callback: () => void): vscode.Disposable {
  let listener: vscode.Disposable | undefined;
  let disposed = false;
  if (vscode.extensions.getExtension(ID)?.isActive === true) {
    void PythonExtension.api().then((api) => {
      if (!disposed) {
        listener = api.environments.onDidChangeActiveEnvironmentPath(callback);
      }
    });
  }
  return new vscode.Disposable(() => {
    disposed = true;
    listener?.dispose();
  });
}

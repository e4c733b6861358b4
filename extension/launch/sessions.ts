/**
 * Profilings that run now: follows each one's status file from the start of its task to its end, shows the newest in the status bar, stops it.
 */
import * as fs from 'node:fs/promises';
import * as vscode from 'vscode';
import { statusOf } from './commandLine';
import type { StatusEvent } from './statusFile';
import { StatusTail } from './statusFile';
import { statusText } from './statusText';
import { TASK_TYPE } from './tasks';

interface Session {
  readonly execution: vscode.TaskExecution;
  readonly tail: StatusTail;
  readonly file: string;
  pid: number | undefined;
  last: StatusEvent | undefined;
  stopAsked: boolean;
}

export class ProfileSessions implements vscode.Disposable {
  private readonly sessions = new Map<vscode.TaskExecution, Session>();
  private readonly item = vscode.window.createStatusBarItem('kinetoscope.recording', vscode.StatusBarAlignment.Left, 50);
  private readonly subscriptions: { dispose(): unknown }[];
  private readonly runSaved = new vscode.EventEmitter<string>();
  /** Fires with the path of a run that was just written. */
  readonly onDidSaveRun = this.runSaved.event;

  constructor(private readonly log: vscode.LogOutputChannel) {
    this.item.name = 'Kinetoscope';
    this.item.command = 'kinetoscope.stop';
    this.subscriptions = [
      this.item,
      this.runSaved,
      vscode.tasks.onDidStartTask(({ execution }) => this.started(execution)),
      vscode.tasks.onDidEndTask(({ execution }) => void this.ended(execution)),
    ];
  }

  /**
   * Stops the newest profiling: SIGINT first, on which the recorder saves what it has; where that is not possible, or asked a second time, its
   * task is ended.
   */
  stop(): void {
    const session = this.newest();
    if (!session) {
      void vscode.window.showInformationMessage('Nothing is being profiled.');
      return;
    }
    if (session.stopAsked || session.pid === undefined || process.platform === 'win32' || !interrupt(session.pid)) {
      session.execution.terminate();
    }
    session.stopAsked = true;
    this.show();
  }

  dispose(): void {
    for (const { tail } of this.sessions.values()) {
      void tail.close();
    }
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private started(execution: vscode.TaskExecution): void {
    const process = execution.task.execution;
    if (execution.task.definition.type !== TASK_TYPE || !(process instanceof vscode.ProcessExecution)) {
      return;
    }
    const file = statusOf(process.args);
    if (file === undefined) {
      return;
    }
    const tail = new StatusTail(file, (event) => this.happened(session, event));
    const session: Session = { execution, tail, file, pid: undefined, last: undefined, stopAsked: false };
    this.sessions.set(execution, session);
    tail.start();
    this.show();
  }

  private async ended(execution: vscode.TaskExecution): Promise<void> {
    const session = this.sessions.get(execution);
    if (session) {
      await session.tail.close();
      this.sessions.delete(execution);
      this.show();
      await fs.rm(session.file, { force: true });
    }
  }

  private happened(session: Session, event: StatusEvent): void {
    this.log.debug(`Recorder: ${JSON.stringify(event)}`);
    session.last = event;
    switch (event.event) {
      case 'start':
        session.pid = event.pid;
        break;
      case 'saved':
        this.runSaved.fire(event.run);
        break;
      case 'error':
        this.log.error(`Recorder: ${event.message} ${event.remedy}`);
        void vscode.window.showErrorMessage(`${event.message} ${event.remedy}`, 'Show Log').then((choice) => {
          if (choice !== undefined) {
            this.log.show();
          }
        });
        break;
      default:
    }
    this.show();
  }

  private newest(): Session | undefined {
    return [...this.sessions.values()].at(-1);
  }

  private show(): void {
    const session = this.newest();
    void vscode.commands.executeCommand('setContext', 'kinetoscope.profiling', session !== undefined);
    if (!session) {
      this.item.hide();
      return;
    }
    const { text, tooltip } = statusText(session.last, session.stopAsked, this.sessions.size);
    this.item.text = text;
    this.item.tooltip = `${session.execution.task.name}: ${tooltip}`;
    this.item.accessibilityInformation = { label: `Kinetoscope: ${text.replace(/\$\([^)]*\)\s*/g, '')}. ${tooltip}`, role: 'button' };
    this.item.show();
  }
}

function interrupt(pid: number): boolean {
  try {
    process.kill(pid, 'SIGINT');
    return true;
  } catch {
    return false;
  }
}

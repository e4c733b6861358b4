/**
 * Talks to one server process: typed requests and notifications after the maps of the wire. Says nothing to the user by itself.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type * as vscode from 'vscode';
import { CloseAction, ErrorAction, ErrorCodes, LanguageClient, ResponseError, RevealOutputChannelOn } from 'vscode-languageclient/node';
import type { ServerCommand } from './environment';
import { startProblem } from './environment';
import { ProblemError } from '../problem';
import type { Problem } from '../problem';
import type { ClientNotifications, InitOptions, Notifications, Requests } from './wire';

/** What a listener of server notifications gets. */
export type NotificationHandler = <M extends keyof Notifications>(method: M, params: Notifications[M]) => void;

const NOTIFICATIONS = [
  'kinetoscope/runs/changed',
  'kinetoscope/lines/changed',
  'kinetoscope/part/changed',
  'kinetoscope/read/progress',
] as const satisfies readonly (keyof Notifications)[];

/** Bytes of the server's stderr that are kept for a message. */
const KEEP_CHARS = 20_000;

const LAST_WORDS_MS = 1_000;

/** The client's own notifications are cryptic (`connection got closed`): they go to the log, ours names the command and the remedy. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export class ServerConnection {
  private readonly client: QuietClient;
  private child: ChildProcess | undefined;
  private output = '';
  private ended = 'it ended at once';
  private closed: Promise<void> = Promise.resolve();
  private wanted = true;

  constructor(
    private readonly command: ServerCommand,
    options: InitOptions,
    private readonly log: vscode.LogOutputChannel,
    handler: NotificationHandler,
    /** Called when the server ends although nobody asked it to, after it had started. */
    private readonly onLost: (problem: Problem) => void,
  ) {
    this.client = new QuietClient('kinetoscope', 'Kinetoscope', async () => await this.spawn(), {
      documentSelector: [{ language: 'python', scheme: 'file' }],
      outputChannel: log,
      stdioOptions: { stdout: () => undefined, stderr: (stream) => this.keepOutput(stream) },
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: options,
      initializationFailedHandler: () => false,
      markdown: { isTrusted: { enabledCommands: ['kinetoscope.showLine'] }, supportHtml: false },
      middleware: {
        // The status bar shows reading, with a way to cancel it that can be seen (runs/readingItem.ts).
        handleWorkDoneProgress: (token, params, next) => {
          if (!String(token).startsWith('kinetoscope/read/')) {
            next(token, params);
          }
        },
      },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          if (this.wanted && this.client.isRunning()) {
            void this.problem().then(this.onLost);
          }
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
    });
    for (const method of NOTIFICATIONS) {
      // SAFETY: the server's messages are made from the same definition as these types (wire.py).
      this.client.onNotification(method, (params: unknown) => handler(method, params as never));
    }
  }

  /** Resolves when the server has answered `initialize`. Throws a ProblemError that names the command. */
  async start(): Promise<void> {
    try {
      await this.client.start();
    } catch (error) {
      this.wanted = false;
      this.log.error(`The server did not start: ${String(error)}`);
      throw new ProblemError(await this.problem());
    }
  }

  async request<M extends keyof Requests>(
    method: M,
    params: Requests[M]['params'],
    token?: vscode.CancellationToken,
  ): Promise<Requests[M]['result']> {
    try {
      // A token that is undefined would be sent as a second parameter.
      return await (token === undefined
        ? this.client.sendRequest<Requests[M]['result']>(method, params)
        : this.client.sendRequest<Requests[M]['result']>(method, params, token));
    } catch (error) {
      if (error instanceof ResponseError && error.code === ErrorCodes.PendingResponseRejected) {
        throw new ProblemError({ what: 'The server ended before it answered.', remedy: 'It is started again: try again in a moment.' });
      }
      throw error;
    }
  }

  async notify<M extends keyof ClientNotifications>(method: M, params: ClientNotifications[M]): Promise<void> {
    await this.client.sendNotification(method, params);
  }

  async stop(): Promise<void> {
    this.wanted = false;
    try {
      if (this.client.needsStop()) {
        await this.client.stop(2_000);
      }
    } catch (error) {
      this.log.warn(`The server did not stop by itself: ${String(error)}`);
    } finally {
      this.child?.kill();
    }
  }

  private async spawn(): Promise<ChildProcess> {
    const { command, args } = this.command;
    // PYTHON* variables of the user's shell are for the user's programs.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PYTHON')));
    const child = spawn(command, args, { env, windowsHide: true });
    this.child = child;
    child.once('exit', (code, signal) => {
      this.ended = signal === null ? `it ended with exit code ${code ?? 'none'}` : `it was ended by ${signal}`;
    });
    this.closed = new Promise((resolve) => child.once('close', () => resolve()));
    return await new Promise((resolve, reject) => {
      child.once('spawn', () => resolve(child));
      child.once('error', (error: NodeJS.ErrnoException) => {
        this.ended = error.code === 'ENOENT' ? 'the interpreter was not found' : error.message;
        reject(error);
      });
    });
  }

  /** The server's stderr is its log: information, and the reason when it does not start. */
  private keepOutput(stream: Readable): void {
    stream.setEncoding('utf8').on('data', (text: string) => {
      this.output = (this.output + text).slice(-KEEP_CHARS);
      for (const line of text.trimEnd().split(/\r?\n/)) {
        this.log.info(`[server] ${line}`);
      }
    });
  }

  /** Why the server is gone. Waits a moment for its last words, which come after the connection's end. */
  private async problem(): Promise<Problem> {
    await Promise.race([this.closed, new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS))]);
    return startProblem(this.command, this.ended, this.output);
  }
}

/**
 * The server's life: started when first needed, restarted one at a time and only when its command or options changed, brought back once when
 * it is lost, and one message with a remedy when it can't run. Requests wait for it.
 */
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { asProblem, ProblemError, problemText } from '../problem';
import type { Problem } from '../problem';
import { shown } from '../python/process';
import type { ServerCommand } from './environment';
import type { ServerConnection } from './client';
import type { ClientNotifications, InitOptions, Notifications, Requests } from './wire';

export type ServerState = 'idle' | 'starting' | 'running' | 'failed';

export interface ServerSources {
  readonly command: (token: vscode.CancellationToken) => Promise<ServerCommand>;
  readonly options: () => InitOptions;
  readonly log: vscode.LogOutputChannel;
}

/** A server that ends again within this time is not brought back: it would only end again. */
const RESTART_PAUSE_MS = 180_000;

/** What a running server can't take over. */
const decisive = (command: ServerCommand, options: InitOptions) => [command, options.run_folders, options.infer_lines];

type Handlers = { [M in keyof Notifications]: Set<(params: Notifications[M]) => void> };

export class Server implements vscode.Disposable {
  private readonly handlers: Handlers = {
    'kinetoscope/runs/changed': new Set(),
    'kinetoscope/lines/changed': new Set(),
    'kinetoscope/part/changed': new Set(),
    'kinetoscope/read/progress': new Set(),
  };
  private readonly stateChanged = new vscode.EventEmitter<ServerState>();
  readonly onDidChangeState = this.stateChanged.event;
  private current: { readonly connection: ServerConnection; readonly command: ServerCommand; readonly options: InitOptions } | undefined;
  /** All starts and stops in a row: what is awaited before anything is sent. */
  private queue: Promise<unknown> = Promise.resolve();
  private starting: Promise<ServerConnection> | undefined;
  private cancelStart: vscode.CancellationTokenSource | undefined;
  private lastLoss = 0;
  private _state: ServerState = 'idle';
  private disposed = false;

  constructor(private readonly sources: ServerSources) {}

  get state(): ServerState {
    return this._state;
  }

  on<M extends keyof Notifications>(method: M, handler: (params: Notifications[M]) => void): vscode.Disposable {
    this.handlers[method].add(handler);
    return new vscode.Disposable(() => this.handlers[method].delete(handler));
  }

  /** Asks the server; starts it where needed. Throws a ProblemError when it can't run. */
  async request<M extends keyof Requests>(
    method: M,
    params: Requests[M]['params'],
    token?: vscode.CancellationToken,
  ): Promise<Requests[M]['result']> {
    return await (await this.running()).request(method, params, token);
  }

  /** Tells a running server; a server that starts later gets the same by its options. */
  async notify<M extends keyof ClientNotifications>(method: M, params: ClientNotifications[M]): Promise<void> {
    await this.current?.connection.notify(method, params);
  }

  /** Starts in the background; a failure is shown once. */
  start(): void {
    this.running().catch(() => undefined);
  }

  /** Called when a setting or interpreter changed: restarts where that makes a difference. A server that was not needed yet stays out. */
  settingsChanged(): void {
    if (this._state !== 'idle') {
      void this.enqueue(async () => await this.replace(false)).catch(() => undefined);
    }
  }

  async restart(): Promise<void> {
    this.lastLoss = 0;
    this.cancelStart?.cancel();
    await this.enqueue(async () => await this.replace(true)).catch(() => undefined);
  }

  dispose(): void {
    this.disposed = true;
    this.cancelStart?.cancel();
    void this.current?.connection.stop();
    this.stateChanged.dispose();
  }

  private async running(): Promise<ServerConnection> {
    this.starting ??= this.enqueue(async () => await this.replace(false));
    return await this.starting;
  }

  private enqueue<T>(job: () => Promise<T>): Promise<T> {
    const result = this.queue.then(job, job);
    this.queue = result;
    return result;
  }

  private async replace(always: boolean): Promise<ServerConnection> {
    const source = new vscode.CancellationTokenSource();
    this.cancelStart = source;
    if (!this.current) {
      this.setState('starting');
    }
    try {
      const command = await this.sources.command(source.token);
      const options = this.sources.options();
      if (!always && this.current && isDeepStrictEqual(decisive(command, options), decisive(this.current.command, this.current.options))) {
        return this.current.connection;
      }
      return await this.launch(command, options);
    } catch (error) {
      // The next request tries again, as the user may have mended it. What ran before was for other settings.
      this.starting = undefined;
      void this.current?.connection.stop();
      this.current = undefined;
      this.setState('failed');
      const problem = asProblem(error);
      this.report(problem);
      throw error instanceof ProblemError ? error : new ProblemError(problem);
    } finally {
      source.dispose();
      this.cancelStart = undefined;
    }
  }

  private async launch(command: ServerCommand, options: InitOptions): Promise<ServerConnection> {
    await this.current?.connection.stop();
    this.current = undefined;
    this.setState('starting');
    this.sources.log.info(`Starting the server: ${shown(command.command, command.args)}`);
    // The protocol's library is large: it is loaded when it is needed, so that activation stays short.
    const { ServerConnection } = await import('./client');
    const connection = new ServerConnection(
      command,
      options,
      this.sources.log,
      (method, params) => this.dispatch(method, params),
      (problem) => this.lost(problem),
    );
    await connection.start();
    if (this.disposed) {
      await connection.stop();
    }
    this.current = { connection, command, options };
    this.starting = Promise.resolve(connection);
    this.setState('running');
    return connection;
  }

  private dispatch<M extends keyof Notifications>(method: M, params: Notifications[M]): void {
    for (const handler of this.handlers[method]) {
      handler(params);
    }
  }

  private lost(problem: Problem): void {
    this.current = undefined;
    this.starting = undefined;
    this.sources.log.error(`The server was lost: ${problemText(problem)}`);
    const now = Date.now();
    const again = now - this.lastLoss > RESTART_PAUSE_MS;
    this.lastLoss = now;
    if (again) {
      this.start();
    } else {
      this.setState('failed');
      this.report({ ...problem, what: 'Kinetoscope’s server ended twice within minutes.' });
    }
  }

  private setState(state: ServerState): void {
    if (!this.disposed && state !== this._state) {
      this._state = state;
      this.stateChanged.fire(state);
    }
  }

  private shownProblem = '';

  /** One message for one problem: many requests may fail for the same reason. */
  private report(problem: Problem): void {
    const text = problemText(problem);
    this.sources.log.error(text);
    if (problem.detail !== undefined) {
      this.sources.log.error(problem.detail);
    }
    if (text === this.shownProblem || this.disposed) {
      return;
    }
    this.shownProblem = text;
    const retry = 'Retry';
    const log = 'Show Log';
    const settings = 'Server Settings';
    void vscode.window.showErrorMessage(text, retry, log, settings).then((choice) => {
      this.shownProblem = '';
      if (choice === retry) {
        void this.restart();
      } else if (choice === log) {
        this.sources.log.show();
      } else if (choice === settings) {
        void vscode.commands.executeCommand('workbench.action.openSettings', 'kinetoscope.server');
      }
    });
  }
}

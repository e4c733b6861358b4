/**
 * The entry point: builds the parts and wires them. Commands are there before the server is, and nothing here waits for it.
 */
import * as vscode from 'vscode';
import { findBundle } from './bundle';
import { goToHotSpot, selectInlineMetric, toggleInline } from './inline/commands';
import { Heat } from './inline/heat';
import { BaselineItem } from './inline/baselineItem';
import { CLEAR_SELECTION, PartItem } from './inline/partItem';
import { ProfileCommands } from './launch/profile';
import { ProfileSessions } from './launch/sessions';
import { ProfileTasks, TASK_TYPE } from './launch/tasks';
import { anyRuns, runFolders } from './places';
import { Interpreters } from './python/interpreters';
import { onSelectedInterpreterChanged } from './python/pythonExtension';
import { selectInterpreter } from './python/select';
import { runCommands } from './runs/commands';
import { HotSpotList } from './runs/hotSpots';
import { HotSpotsTree } from './runs/hotSpotsTree';
import { ReadingItem } from './runs/readingItem';
import { RunsTree } from './runs/runsTree';
import { rememberedBaseline, rememberedRun, RunStore } from './runs/store';
import { Server } from './server/server';
import { currentServerCommand } from './server/setup';
import { serverStatusItem } from './server/statusItem';
import type { RunSummary } from './server/wire';
import { infersLines, inlineSettings } from './settings';
import { SourceLocator } from './sources/locate';
import { SourceMemory } from './sources/memory';
import { TensorBoards } from './tensorboard/panels';
import { traceCommands } from './traces/commands';
import { TraceEditors } from './traces/editor';
import { AppPanels } from './views/appPanel';
import { pageCommands } from './views/commands';
import { PlaceOpener } from './views/openPlace';
import type { PlaceRequest } from './views/openPlace';

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Kinetoscope', { log: true });
  const bundle = findBundle(context.extensionPath);
  const interpreters = new Interpreters(log);
  const configuration = () => vscode.workspace.getConfiguration('kinetoscope');
  /** Folders of runs beyond the workspace's: of scripts that were profiled outside it. */
  const moreFolders = new Set<string>();
  const folders = () => [...new Set([...runFolders(), ...moreFolders])];

  const server: Server = new Server({
    command: async (token) => await currentServerCommand(context.globalStorageUri.fsPath, bundle, interpreters, log, token),
    options: () => ({
      run_folders: folders(),
      infer_lines: infersLines(configuration()),
      inline: inlineSettings(configuration()),
      sources: sources.settings(),
      active_run: rememberedRun(context.workspaceState),
      baseline: rememberedBaseline(context.workspaceState),
      open_traces: traces.paths,
    }),
    log,
  });
  const sources = new SourceMemory(server, context.workspaceState, interpreters, log);
  const locator = new SourceLocator(server, sources);
  const store = new RunStore(server, context.workspaceState, log);
  const hotSpots = new HotSpotList(server, store, log);
  const places = new PlaceOpener(server, sources, locator);
  const part = new PartItem(server, store);
  const baseline = new BaselineItem(store);
  const panels = new AppPanels(context.extensionUri, server, store, places, log);
  const traces: TraceEditors = new TraceEditors(server, panels);
  const boards = new TensorBoards(server, store, interpreters, places, log);
  const tasks = new ProfileTasks(bundle, interpreters);
  const sessions = new ProfileSessions(log);
  const profile = new ProfileCommands(tasks, interpreters, context.workspaceState, log, (folder) => {
    moreFolders.add(folder);
    server.settingsChanged();
    server.start();
  });
  const runs = new RunsTree(store);
  const spots = new HotSpotsTree(hotSpots);
  const spotsView = vscode.window.createTreeView('kinetoscope.hotspots', { treeDataProvider: spots });

  const commands: Readonly<Record<string, (...args: never[]) => unknown>> = {
    'kinetoscope.profileFile': async (uri?: vscode.Uri) => await profile.profileFile(uri),
    'kinetoscope.profileFileWithOptions': async (uri?: vscode.Uri) => await profile.profileFileWithOptions(uri),
    'kinetoscope.rerunLast': async () => await profile.rerunLast(),
    'kinetoscope.stop': () => sessions.stop(),
    'kinetoscope.openLines': () => panels.show(null, { page: 'lines' }),
    'kinetoscope.showLine': ({ run, file, line }: PlaceRequest) => panels.show(run, { page: 'lines', target: { line: { file, line } } }),
    'kinetoscope.openViews': () => panels.show(),
    'kinetoscope.openInTensorBoard': async (of?: vscode.Uri | RunSummary) =>
      await boards.show(of === undefined || of instanceof vscode.Uri ? of : vscode.Uri.file(of.path)),
    'kinetoscope.openPlace': async (place: PlaceRequest) => await places.open(place),
    'kinetoscope.locateSource': async () => await locator.command(),
    'kinetoscope.forgetLocatedSources': async () => await locator.forget(),
    'kinetoscope.toggleInline': toggleInline,
    'kinetoscope.selectInlineMetric': selectInlineMetric,
    [CLEAR_SELECTION]: async () => await part.clear(),
    'kinetoscope.nextHotspot': async () => await goToHotSpot(hotSpots, 1),
    'kinetoscope.previousHotspot': async () => await goToHotSpot(hotSpots, -1),
    'kinetoscope.selectInterpreter': async () => await selectInterpreter(interpreters, vscode.window.activeTextEditor?.document.uri),
    'kinetoscope.restartServer': async () => await server.restart(),
    'kinetoscope.showLog': () => log.show(),
    ...runCommands(server, store, panels),
    ...traceCommands(server, panels),
    ...pageCommands(context.extension, server, panels),
  };

  context.subscriptions.push(
    log,
    ...Object.entries(commands).map(([name, command]) => vscode.commands.registerCommand(name, command)),
    vscode.tasks.registerTaskProvider(TASK_TYPE, tasks),
    vscode.window.registerTreeDataProvider('kinetoscope.runs', runs),
    spotsView,
    hotSpots.onDidChange(() => {
      spotsView.message = hotSpots.spots.length === 0 && hotSpots.reason !== null && store.runs.length > 0 ? hotSpots.reason : '';
    }),
    new Heat(server, log),
    part,
    baseline,
    new ReadingItem(server, log),
    serverStatusItem(server),
    sessions,
    sessions.onDidSaveRun(() => void store.refresh()),
    watchRuns(folders, () => void store.refresh()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('kinetoscope.inline')) {
        void server.notify('kinetoscope/inline/settings', inlineSettings(configuration()));
      }
      if (event.affectsConfiguration('kinetoscope.pathMappings')) {
        void sources.send();
      }
      const started = [
        'kinetoscope.inferLines',
        'kinetoscope.server',
        'kinetoscope.interpreter',
        'kinetoscope.outputFolder',
        'python.defaultInterpreterPath',
      ];
      if (started.some((section) => event.affectsConfiguration(section))) {
        server.settingsChanged();
      }
    }),
    vscode.workspace.onDidChangeWorkspaceFolders(() => {
      server.settingsChanged();
      void sources.send();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => server.settingsChanged()),
    onSelectedInterpreterChanged(() => server.settingsChanged()),
    runs,
    spots,
    hotSpots,
    traces,
    panels,
    boards,
    places,
    store,
    server,
  );

  if (anyRuns(folders())) {
    server.start();
  }
}

/** Runs that others write while the window is open (the command line, another window) start the server where it is not needed yet. */
function watchRuns(folders: () => string[], arrived: () => void): vscode.Disposable {
  const watchers = folders().map((folder) => {
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(vscode.Uri.file(folder), '*'), false, true, true);
    watcher.onDidCreate(({ path }) => {
      if (!/\/\.[^/]*$/.test(path)) {
        arrived();
      }
    });
    return watcher;
  });
  return vscode.Disposable.from(...watchers);
}

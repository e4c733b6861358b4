/**
 * The commands of the Runs view. Each takes the run of its row; from the palette, where there is no row, it asks or takes the active one.
 */
import * as vscode from 'vscode';
import { asProblem, problemText } from '../problem';
import type { Server } from '../server/server';
import type { RunSummary } from '../server/wire';
import { openTraceFile } from '../traces/commands';
import type { AppPanels } from '../views/appPanel';
import { CLEAR_BASELINE } from '../inline/baselineItem';
import { runDescription } from './describe';
import type { RunStore } from './store';

export function runCommands(server: Server, store: RunStore, panels: AppPanels): Readonly<Record<string, (...args: never[]) => unknown>> {
  const guarded = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      void vscode.window.showErrorMessage(problemText(asProblem(error, '')).trim());
    }
  };
  return {
    'kinetoscope.setActiveRun': async (run?: RunSummary) => {
      const chosen = run ?? (await pickRun(store, 'Run shown in the editor'));
      if (chosen) {
        await guarded(async () => await store.setActive(chosen.path));
      }
    },
    'kinetoscope.openRun': async (run?: RunSummary) => {
      if (run?.kind === 'trace') {
        await openTraceFile(vscode.Uri.file(run.path));
      } else {
        panels.show(run?.path);
      }
    },
    'kinetoscope.compareWithRun': async (run?: RunSummary) => {
      const chosen = run ?? (await pickRun(store, 'Run to compare the active one with', ({ path }) => path !== store.active?.path));
      if (chosen) {
        panels.show(null, { page: 'compare', target: { baseline: chosen.path } });
      }
    },
    'kinetoscope.setBaseline': async (run?: RunSummary) => {
      const others = ({ path, problem }: RunSummary) => path !== store.active?.path && problem === null;
      const chosen = run ?? (await pickRun(store, 'Baseline: the run that the numbers on lines are compared with', others));
      if (chosen) {
        await guarded(async () => await store.setBaseline(chosen.path));
      }
    },
    [CLEAR_BASELINE]: async () => await guarded(async () => await store.setBaseline(null)),
    'kinetoscope.leaveTrace': async () =>
      await guarded(
        async () => await store.setActive(store.runs.find(({ kind, problem }) => kind === 'run' && problem === null)?.path ?? null),
      ),
    'kinetoscope.deleteRun': async (run?: RunSummary) => {
      const chosen = run ?? (await pickRun(store, 'Run to delete', ({ kind }) => kind === 'run'));
      if (chosen && (await confirmDelete(chosen))) {
        await guarded(async () => await store.delete(chosen.path));
      }
    },
    'kinetoscope.revealRun': async (run?: RunSummary) => {
      const chosen = run ?? (await pickRun(store, 'Run to reveal'));
      if (chosen) {
        await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(chosen.path));
      }
    },
    'kinetoscope.refreshRuns': async () => await guarded(async () => await store.refresh()),
    'kinetoscope.cancelReading': async (run?: string) =>
      await guarded(async () => await server.request('kinetoscope/runs/cancel_reading', { run: run ?? null })),
  };
}

async function pickRun(store: RunStore, title: string, wanted: (run: RunSummary) => boolean = () => true): Promise<RunSummary | undefined> {
  const items = store.runs.filter(wanted).map((run) => ({
    label: run.name,
    description: `${runDescription(run, new Date())}${run.path === store.active?.path ? ' · active' : ''}`,
    run,
  }));
  return (await vscode.window.showQuickPick(items, { title, placeHolder: items.length === 0 ? 'There are no runs yet' : '' }))?.run;
}

async function confirmDelete(run: RunSummary): Promise<boolean> {
  const remove = 'Delete';
  const detail = `${run.path}\n\nThe recording is deleted from the disk.`;
  return (await vscode.window.showWarningMessage(`Delete the run of ${run.name}?`, { modal: true, detail }, remove)) === remove;
}

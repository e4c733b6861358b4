/**
 * Commands for the inline numbers: on and off, which metric, and walking through the hot spots.
 */
import * as vscode from 'vscode';
import type { HotSpotList } from '../runs/hotSpots';
import { inlineSettings } from '../settings';
import type { MetricSetting } from '../server/wire';
import { neighbour } from './navigation';

export async function toggleInline(): Promise<void> {
  const { enabled } = inlineSettings(vscode.workspace.getConfiguration('kinetoscope'));
  await setInline('enabled', !enabled);
}

const METRICS: readonly { readonly metric: MetricSetting; readonly label: string; readonly description: string }[] = [
  { metric: 'auto', label: 'Automatic', description: 'GPU time where the run used a GPU, else CPU time' },
  { metric: 'gpu_time', label: 'GPU time', description: 'device time of the kernels, forward + backward' },
  { metric: 'cpu_time', label: 'CPU time', description: 'wall time on the thread' },
  { metric: 'memory', label: 'Memory', description: 'bytes allocated' },
];

export async function selectInlineMetric(): Promise<void> {
  const { metric } = inlineSettings(vscode.workspace.getConfiguration('kinetoscope'));
  const items = METRICS.map((item) => ({ ...item, label: `${item.metric === metric ? '$(check) ' : '$(blank) '}${item.label}` }));
  const picked = await vscode.window.showQuickPick(items, { title: 'Metric shown in the editor' });
  if (picked) {
    await setInline('metric', picked.metric);
  }
}

/** Where the setting already stands it is changed; elsewhere it is the user's own. */
async function setInline(name: string, value: unknown): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('kinetoscope');
  const inWorkspace = configuration.inspect(`inline.${name}`)?.workspaceValue !== undefined;
  await configuration.update(
    `inline.${name}`,
    value,
    inWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global,
  );
}

export async function goToHotSpot(list: HotSpotList, direction: 1 | -1): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const from = editor && { path: editor.document.uri.fsPath, line: editor.selection.active.line + 1 };
  const spot = neighbour(list.spots, from, direction);
  if (!spot) {
    void vscode.window.showInformationMessage(list.reason ?? 'There are no hot spots: no run is active.');
    return;
  }
  await vscode.commands.executeCommand('kinetoscope.openPlace', { file: spot.file, line: spot.profiled_line, inPlace: true });
}

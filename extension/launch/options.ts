/**
 * "Profile with options…": one list that shows the options as they are; choosing one changes it, the first entry starts.
 */
import * as vscode from 'vscode';
import type { ProfileSettings } from '../settings';
import { joinArguments, splitArguments } from './commandLine';
import type { ProfileRequest } from './commandLine';

export type ProfileOptions = Omit<ProfileRequest, 'program'>;

interface Item extends vscode.QuickPickItem {
  /** Returns the options after the change, or undefined where the user changed their mind. Absent: start. */
  readonly change?: (options: ProfileOptions) => Promise<ProfileOptions | undefined>;
}

/** The options to profile with, or undefined when cancelled. */
export async function askOptions(name: string, settings: ProfileSettings, remembered: ProfileOptions): Promise<ProfileOptions | undefined> {
  let options = remembered;
  for (;;) {
    const picked = await vscode.window.showQuickPick(items(name, settings, options), {
      title: `Profile ${name}`,
      placeHolder: 'Choose an option to change it, or start',
      ignoreFocusOut: true,
    });
    if (!picked) {
      return undefined;
    }
    if (!picked.change) {
      return options;
    }
    options = (await picked.change(options)) ?? options;
  }
}

function items(name: string, settings: ProfileSettings, options: ProfileOptions): Item[] {
  const after = options.after ?? settings.after;
  const stacks = options.stacks ?? settings.stacks;
  const change = (patch: (old: ProfileOptions) => Promise<ProfileOptions | undefined>) => patch;
  return [
    { label: `$(play) Profile ${name}`, description: 'start with these options' },
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    {
      label: '$(symbol-string) Arguments',
      description: options.args?.length ? joinArguments(options.args) : 'none',
      change: change(async (old) => {
        const text = await vscode.window.showInputBox({
          title: 'Arguments of the script',
          value: joinArguments(old.args ?? []),
          placeHolder: "--epochs 1 --data 'my folder'",
          ignoreFocusOut: true,
        });
        return text === undefined ? undefined : { ...old, args: splitArguments(text) };
      }),
    },
    {
      label: '$(debug-step-over) Steps to skip',
      description: `${options.skip ?? settings.skipSteps}, so that warm-up is not measured`,
      change: change(async (old) => {
        const skip = await askCount('Steps to skip before recording', old.skip ?? settings.skipSteps, 0);
        return skip === undefined ? undefined : { ...old, skip };
      }),
    },
    {
      label: '$(record) Steps to record',
      description: String(options.record ?? settings.recordSteps),
      change: change(async (old) => {
        const record = await askCount('Steps to record', old.record ?? settings.recordSteps, 1);
        return record === undefined ? undefined : { ...old, record };
      }),
    },
    {
      label: '$(layers) Call stacks in libraries',
      description: stacks ? 'recorded; slower, larger' : 'not recorded; your own lines are exact without them',
      change: change(async (old) => await Promise.resolve({ ...old, stacks: !stacks })),
    },
    {
      label: '$(debug-stop) After recording',
      description: after === 'stop' ? 'stop the script' : 'let the script go on',
      change: change(async (old) => await Promise.resolve({ ...old, after: after === 'stop' ? 'continue' : 'stop' })),
    },
  ];
}

async function askCount(title: string, value: number, least: number): Promise<number | undefined> {
  const text = await vscode.window.showInputBox({
    title,
    value: String(value),
    ignoreFocusOut: true,
    validateInput: (typed) => (/^\d+$/.test(typed.trim()) && Number(typed) >= least ? undefined : `A whole number, ${least} or more`),
  });
  return text === undefined ? undefined : Number(text);
}

/**
 * A trace that somebody else recorded: its names are relative or of another machine. They lead to the files here, or the user is asked once.
 */
import { describe, expect, test } from 'vitest';
import { scene } from './harness/scene';
import type { Project } from './harness/project';

const TRAIN = 'def train(count):';
const MIX = 'def mix(inputs):';
const LENS = 'the profiled text is not known';

/** One step of 10 ms: `train` has it all, `mix` half of it, `predict` of a file that is not here a fifth. Names as Kineto writes them. */
function trace(project: Project) {
  const frame = (name: string, from: number, dur: number) => ({
    ph: 'X',
    cat: 'python_function',
    name,
    pid: 1,
    tid: 1,
    ts: from,
    dur,
    args: {}, // prettier-ignore
  });
  const at = (file: string, code: string) => `${file}(${project.lineOf(file, code)})`;
  const events = [
    { ...frame('ProfilerStep#0', 0, 10_000), cat: 'user_annotation' },
    frame(`${at('train.py', TRAIN)}: train`, 10, 9_900),
    frame(`${at('model.py', MIX)}: mix`, 1_000, 5_000),
    frame('lib/network.py(1): predict', 7_000, 2_000),
  ];
  return { schemaVersion: 1, traceEvents: events };
}

const at = scene({}, (project: Project) => {
  project.write('.kinetoscope/foreign/run.json', JSON.stringify({ format: 1, name: 'foreign', created: '2026-11-30T10:00:00Z', traces: [{ rank: 0, file: 'rank0.pt.trace.json' }] })); // prettier-ignore
  project.write('.kinetoscope/foreign/rank0.pt.trace.json', JSON.stringify(trace(project)));
  project.write('copy/train.py', project.read('train.py'));
  project.write('here/net.py', 'def predict(x):\n    return x\n');
});

const spot = (function_: string) => at.window.pane('Hot Spots').locator('.monaco-list-row', { hasText: function_ }).first();

describe('names of a trace lead to files', () => {
  test('a relative one to the only file it can be, whose function shows its cost and that its text is not verified', async () => {
    const { window } = at;
    await window.openFile('model.py');
    await window.lenses('model.py').filter({ hasText: LENS }).waitFor({ timeout: 60_000 });
    expect(await window.lenses('model.py').first().innerText()).toMatch(/CPU 5\.0 ms .*whole function/);
  });

  test('of two equal files the user chooses one, and its numbers are there at once', async () => {
    const { window, project } = at;
    await window.showContainer('Kinetoscope');
    await spot('train.py').click();
    const toast = window.toast('train.py may be any of 2 files here');
    await toast.getByRole('button', { name: 'Locate source…' }).click();
    await window.quickRows().filter({ hasText: 'copy/train.py' }).waitFor();
    await window.quickRows().filter({ hasNotText: 'copy' }).filter({ hasText: 'train.py' }).first().click();
    await window.tab('train.py').waitFor();
    await window.cursorOn(project.lineOf('train.py', TRAIN));
    await window.lenses('train.py').filter({ hasText: LENS }).waitFor();
  });

  test('one that is nowhere is located by its path, under another name too', async () => {
    const { window, project } = at;
    await spot('predict').click();
    const toast = window.toast('lib/network.py was not found on this machine');
    await toast.waitFor();
    expect(await toast.innerText()).toContain("the workspace, the interpreter's sys.path");

    await window.run('Kinetoscope: Locate source…');
    await window.pick('lib/network.py');
    const input = window.page.locator('.quick-input-widget:visible input').first();
    await expect.poll(async () => await input.inputValue()).toContain(project.folder);
    await input.fill(project.path('here/net.py'));
    // The dialog looks the folder up, and takes nothing before.
    await window.quickRows().filter({ hasText: 'net.py' }).waitFor();
    await window.page.getByRole('button', { name: 'Use this file' }).click();
    await window.page.getByRole('button', { name: 'Use it' }).click();
    await window.openFile('net.py');
    await window.lenses('net.py').filter({ hasText: LENS }).waitFor();
  });

  test('until the answers are forgotten', async () => {
    const { window } = at;
    await window.run('Kinetoscope: Forget located sources');
    await window.toast('2 located sources were forgotten').waitFor();
    await expect.poll(async () => await window.lenses('net.py').count()).toBe(0);
  });
});

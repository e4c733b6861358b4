/**
 * *Open in TensorBoard* with the real one: it shows the profiler's plugin in an editor, a click on a frame of its stacks opens the line, and it ends with
 * its editor. KINETOSCOPE_TENSORBOARD_PYTHON names an interpreter that has tensorboard and torch-tb-profiler.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { scene, CHECKOUT_PYTHON } from './harness/scene';
import type { Project } from './harness/project';

const interpreter = process.env.KINETOSCOPE_TENSORBOARD_PYTHON ?? '';

/**
 * The plugin draws with Google Charts, which it loads from the internet and waits for without an end. Here something stands in for it that draws nothing.
 */
const NO_CHARTS = `
  const nothing = new Proxy(function () {}, {
    get: (_, name) => (name === Symbol.toPrimitive ? () => '' : nothing),
    apply: () => nothing,
    construct: () => nothing,
  });
  window.google = { charts: { load: () => undefined, setOnLoadCallback: (then) => setTimeout(then) }, visualization: nothing };
`;

/** One operator, called from a line of the project. */
function writeTrace(project: Project): void {
  const line = project.lineOf('model.py', 'def forward');
  const stack = `${project.path('model.py')}(${line}): forward;${project.path('train.py')}(1): <module>`;
  const event = (name: string, ts: number, dur: number, args: object) => ({ ph: 'X', cat: 'cpu_op', name, pid: 1, tid: 1, ts, dur, args });
  project.write(
    'logs/worker0.1700000000000.pt.trace.json',
    JSON.stringify({
      schemaVersion: 1,
      traceEvents: [event('aten::mm', 100, 50, { 'External id': 1, 'Call stack': stack, 'Input Dims': [[2, 2]] })],
    }),
  );
}

/** Processes of this machine that serve that folder. */
function serving(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const [command = '', ...rest] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return /python|tensorboard/.test(command) && rest.some((arg) => arg.includes(folder));
      } catch {
        return false; // it has ended since
      }
    })
    .map(Number);
}

describe.skipIf(interpreter === '')('TensorBoard (skipped unless KINETOSCOPE_TENSORBOARD_PYTHON names an interpreter that has it)', () => {
  const at = scene({ machine: { ...CHECKOUT_PYTHON, 'kinetoscope.interpreter': interpreter }, proxy: true }, writeTrace);
  const plugin = () => at.window.webview().frameLocator('iframe[title="TensorBoard"]').frameLocator('iframe');

  test('shows the profiler of a folder of traces in an editor', async () => {
    const { window, project } = at;
    await window.page.context().route('https://www.gstatic.com/**', async (route) => {
      await route.fulfill({ contentType: 'text/javascript', body: NO_CHARTS });
    });
    await window.pickFromMenu(window.explorerRow('logs'), 'Open in TensorBoard');
    await window
      .tab('TensorBoard: logs')
      .or(window.page.locator('.tab.active', { hasText: 'TensorBoard: logs' }))
      .first()
      .waitFor();
    await plugin().getByText('worker0').first().waitFor({ timeout: 100_000 });
    expect(serving(project.path('logs')).length).toBeGreaterThan(0);
  });

  test('leads from a frame of a stack to its line', async () => {
    const { window, project } = at;
    await plugin().locator('[role=button][aria-haspopup=listbox]').nth(1).click();
    await plugin().getByRole('option', { name: 'Operator' }).click();
    await plugin().getByText('View CallStack').first().click();
    await plugin().getByText('View call frames').first().click();
    await plugin().getByText('model.py(').first().click();
    await window.tab('model.py').waitFor();
    await window.cursorOn(project.lineOf('model.py', 'def forward'));
  });

  test('ends with its editor', async () => {
    const { window, project } = at;
    await window.page.locator('.tab', { hasText: 'TensorBoard: logs' }).click({ button: 'middle' });
    await expect.poll(() => serving(project.path('logs'))).toEqual([]);
  });
});

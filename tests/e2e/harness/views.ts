/**
 * The pages of the app as tests look at them, the same in the workbench and in a plain browser: what is to be read on each of the run that `writeGpuRun`
 * writes, and how a person gets from there to the source.
 */
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { runPython } from '../../extension/viewHost';

/** The document of the app: a page of the browser, or the frame of a webview. */
export type AppDocument = Page | FrameLocator;

export interface PageSpec {
  readonly id: string;
  readonly title: string;
  /** To be read on it. */
  readonly shows: string;
  /** Goes to the source; the line that it must lead to has this text in the file. Absent where the page names no place in the source. */
  readonly jump?: {
    readonly act: (page: Locator, keyboard: Page['keyboard']) => Promise<void>;
    readonly file: string;
    readonly text: string;
  };
}

const PRODUCT = 'h = x @ x';

async function firstLink(page: Locator, place: string): Promise<void> {
  await page.locator('.place-link', { hasText: place }).first().click();
}

export const PAGE_SPECS: readonly PageSpec[] = [
  {
    id: 'overview',
    title: 'Overview',
    shows: 'Where a step’s time goes',
    jump: { act: async (page) => await firstLink(page, 'train.py:8'), file: 'train.py', text: 'loss.backward()' },
  },
  {
    id: 'lines',
    title: 'Lines',
    shows: PRODUCT,
    jump: { act: async (page) => await page.getByText('model.py:2').first().click(), file: 'model.py', text: PRODUCT },
  },
  {
    id: 'operators',
    title: 'Operators',
    shows: 'aten::mm',
    jump: {
      act: async (page) => {
        await page.getByText('Line', { exact: true }).first().click();
        await firstLink(page, 'model.py:2');
      },
      file: 'model.py',
      text: PRODUCT,
    },
  },
  {
    id: 'kernels',
    title: 'Kernels',
    shows: 'gemm_grad',
    jump: {
      act: async (page) => {
        await page.getByText('gemm_grad').first().click();
        await page.getByRole('region', { name: 'Lines that launched it' }).locator('.place-link', { hasText: 'model.py:2' }).click();
      },
      file: 'model.py',
      text: PRODUCT,
    },
  },
  {
    id: 'timeline',
    title: 'Timeline',
    shows: 'Main thread',
    jump: {
      act: async (page, keyboard) => {
        await page.getByLabel('Find events by name').fill('aten::relu');
        await keyboard.press('Enter');
        await page.getByRole('region', { name: 'Stack' }).waitFor();
        await firstLink(page, 'model.py:3');
      },
      file: 'model.py',
      text: 'return h.relu()',
    },
  },
  {
    id: 'flame',
    title: 'Flame graph',
    shows: 'GPU time',
    jump: {
      act: async (page, keyboard) => {
        await page.getByLabel('Stacks of').selectOption('line');
        // What the canvas shows stands in a table for screen readers too.
        await page.getByRole('cell', { name: 'train_step' }).or(page.getByText('train_step')).first().waitFor({ state: 'attached' });
        await page.getByRole('application').focus();
        // All, the module, the training step, and its dearest line.
        for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter']) {
          await keyboard.press(key);
        }
      },
      file: 'model.py',
      text: PRODUCT,
    },
  },
  {
    id: 'memory',
    title: 'Memory',
    shows: 'At the peak',
    jump: {
      act: async (page) => {
        await page.getByText('Line', { exact: true }).first().click();
        await firstLink(page, 'train.py:7');
      },
      file: 'train.py',
      text: 'loss = y.sum()',
    },
  },
  {
    id: 'modules',
    title: 'Modules',
    shows: 'Net_0',
    jump: { act: async (page) => await firstLink(page, 'train.py:6'), file: 'train.py', text: 'y = forward(x)' },
  },
  { id: 'distributed', title: 'Distributed', shows: 'No communication between ranks' },
  {
    id: 'idle',
    title: 'Idle & sync',
    shows: 'Lines that left it idle',
    jump: { act: async (page) => await firstLink(page, 'train.py:8'), file: 'train.py', text: 'loss.backward()' },
  },
  {
    id: 'compare',
    title: 'Compare',
    shows: 'Where the time of a step goes',
    jump: { act: async (page) => await firstLink(page, 'model.py:2'), file: 'model.py', text: PRODUCT },
  },
];

/** The page of several ranks, of the run that `writeRanksRun` writes. */
export const RANKS_SPEC: PageSpec = {
  id: 'distributed',
  title: 'Distributed',
  shows: 'came last to',
  jump: { act: async (page) => await firstLink(page, 'train.py:7'), file: 'train.py', text: 'loss = y.sum()' },
};

/**
 * Two runs of a GPU whose costs are known by construction (tests/python/support/runs.py), `.kinetoscope/before`, whose product is faster, and `gpu`; their
 * sources are in `net/`.
 */
export function writeGpuRun(folder: string): void {
  runPython(
    [
      'import sys; from pathlib import Path',
      'from support.runs import rich_trace, write_project, write_run',
      'folder = Path(sys.argv[1]); project = write_project(folder / "net")',
      'for name, created, gemm_us in (("before", "2026-11-30T09:00:00+00:00", 300), ("gpu", "2026-11-30T10:00:00+00:00", 400)):',
      '    write_run(folder / ".kinetoscope", name, project, maker=rich_trace(project, gemm_us), created=created)',
    ],
    folder,
  );
}

/** A run of two ranks, one of which is late for a line; `.kinetoscope/ranks`. The sources in `net/` are there already. */
export function writeRanksRun(folder: string): void {
  runPython(
    [
      'import sys; from pathlib import Path',
      'from support.ranks import write_late_rank',
      'folder = Path(sys.argv[1])',
      'write_late_rank(folder / ".kinetoscope", "ranks", folder / "net", created="2026-11-30T08:30:00+00:00")',
    ],
    folder,
  );
}

/** A run whose names are all markup that would act if it were taken for such; `.kinetoscope/hostile`. */
export function writeHostileRun(folder: string): void {
  runPython(
    [
      'import sys; from pathlib import Path',
      'from support.hostile import hostile_trace',
      'from support.runs import write_project, write_run',
      'folder = Path(sys.argv[1]); project = write_project(folder / "net")',
      'write_run(folder / ".kinetoscope", "hostile", project, maker=hostile_trace(project), created="2026-11-30T08:00:00+00:00")',
    ],
    folder,
  );
}

/** The part of the app that shows one page. */
export function section(app: AppDocument, { id }: PageSpec): Locator {
  return app.locator(`.page-${id}:not([hidden])`);
}

/** Goes to a page by the list at the side. */
export async function goTo(app: AppDocument, spec: PageSpec): Promise<Locator> {
  await app.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name: spec.title }).click();
  const page = section(app, spec);
  await page.getByText(spec.shows).first().waitFor({ timeout: 60_000 });
  return page;
}

/**
 * The Kernels page's rules: names, families, what is chosen, and its numbers.
 */
import { describe, expect, test } from 'vitest';
import { blocksText, kernelColumns } from '../../extension/webview/kernels/columns';
import { others } from '../../extension/webview/kernels/Detail';
import { figuresOf } from '../../extension/webview/kernels/KernelsPage';
import { chosenRows, familiesOf, familyLabel, kernelKey, sizesText } from '../../extension/webview/kernels/rows';
import { DEFAULT_CHOICES, restoreChoices } from '../../extension/webview/kernels/state';
import { shortKernel } from '../../extension/webview/shared/kernelName';
import { frame, kernel, kernels, shown } from './playground/tables';

const GEMM = kernel('nvjet_tst_128x256', { family: 'gemm', total_us: 60, calls: 4, tensor_cores: true });
const ADD = kernel('add', { family: 'elementwise', total_us: 30, calls: 6 });
const COPY = kernel('Memcpy DtoH (Device -> Pageable)', { kind: 'memcpy', family: 'copy', total_us: 10, bytes: 4096 });
const ALL = [GEMM, ADD, COPY];

describe('a name is short', () => {
  test.each([
    [
      'void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16, float>(c10::BFloat16*, c10::BFloat16 const*, int)',
      'cunn_SoftMaxForward<8, BFloat16, float>',
    ],
    [
      'void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1ul> >(int, at::native::FillFunctor<float>)',
      'vectorized_elementwise_kernel<4, FillFunctor<float>, array<char*, 1ul> >',
    ],
    ['f(at::TensorIteratorBase&)::{lambda(int)#1}(int, float (*)(float))', 'f(TensorIteratorBase&)::{lambda(int)#1}'],
    ['Cijk_Ailk_Bljk_HHS [clone .kd]', 'Cijk_Ailk_Bljk_HHS'],
    ['nvjet_tst_128x256', 'nvjet_tst_128x256'],
    ['Memcpy DtoH (Device -> Pageable)', 'Memcpy DtoH (Device -> Pageable)'],
    ['<b>bold</b>(int)', '<b>bold</b>'],
    ['(odd)', '(odd)'],
    ['', ''],
  ])('%s', (name, short) => {
    expect(shortKernel(name)).toBe(short);
  });
});

describe('rows', () => {
  test('by name have their name as key, those by launch differ by how they were launched', () => {
    expect(kernelKey(GEMM)).toBe(GEMM.name);
    const launches = [
      { grid: '[1, 1, 1]' },
      { grid: '[2, 1, 1]' },
      { grid: '[1, 1, 1]', block: '[32, 1, 1]' },
      { grid: '[1, 1, 1]', operator: 'aten::mm' },
      { grid: '[1, 1, 1]', registers: 8 },
    ].map((fields) => kernel('k', fields));
    expect(new Set(launches.map(kernelKey)).size).toBe(launches.length);
  });

  test.each([
    ['[328, 3, 16]', '328×3×16'],
    ['', ''],
    ['[]', ''],
    ['many', 'many'],
  ])('say sizes: %s', (json, text) => {
    expect(sizesText(json)).toBe(text);
  });

  test('of all families together are all device time', () => {
    const families = familiesOf(ALL, 100);
    expect(families.map(({ name, share }) => [name, share])).toEqual([
      ['gemm', 0.6],
      ['elementwise', 0.3],
      ['copy', 0.1],
    ]);
    expect(familiesOf([], 0)).toEqual([]);
    expect(['gemm', 'norm'].map(familyLabel)).toEqual(['GEMM', 'Norm']);
  });

  test('are chosen by family and by Tensor Cores; copies have to do with neither', () => {
    expect(chosenRows(ALL, [], 'all')).toEqual(ALL);
    expect(chosenRows(ALL, ['copy', 'gemm'], 'all')).toEqual([GEMM, COPY]);
    expect(chosenRows(ALL, [], 'with')).toEqual([GEMM]);
    expect(chosenRows(ALL, [], 'without')).toEqual([ADD]);
    expect(chosenRows(ALL, ['gemm'], 'without')).toEqual([]);
  });
});

describe('columns', () => {
  const columns = (group: 'name' | 'launch', steps = 1) =>
    kernelColumns({ group, total_us: 100, spread: { steps, suffix: '' }, labels: new Map([['/p/net.py', 'net.py']]), onOperator: null });
  const text = (id: string, row = GEMM, steps = 1) => shown(columns('name', steps), id, row);

  test('of launches have the operator and how it was launched', () => {
    const more = columns('launch').map(({ id }) => id).filter((id) => !columns('name').some((column) => column.id === id)); // prettier-ignore
    expect(more).toEqual(['operator', 'grid', 'block', 'registers', 'shared_memory']);
  });

  test('are spread over steps, but durations of a call and shares are not', () => {
    expect(['total', 'calls', 'mean', 'share'].map((id) => text(id, GEMM, 2))).toEqual(['30.0 µs', '2', '15.0 µs', '60 %']);
  });

  test('are empty where the trace does not say', () => {
    expect([text('occupancy'), text('blocks_per_sm'), text('tensor_cores', COPY)]).toEqual(['', '', '']);
    expect([text('tensor_cores'), text('tensor_cores', ADD)]).toEqual(['yes', 'no']);
  });

  test.each([
    [628.48, '628'],
    [1628.48, '1,628'],
    [9.96, '10'],
    [5, '5.0'],
    [0.83, '0.8'],
    [0.01, '<0.1'],
    [0, '0.0'],
  ])('say blocks as far as they matter: %d', (blocks, words) => {
    expect(blocksText(blocks)).toBe(words);
  });
});

describe('the lines that launched a kernel', () => {
  const at = (place: string, total_us: number, backward = false) => ({ frame: frame(place), backward, calls: 1, total_us });
  const row = kernel('gemm', {
    calls: 9,
    total_us: 100,
    lines: [at('/p/net.py:4', 50), at('/p/net.py:4', 20, true), at('/p/net.py:9', 15)],
    more_lines: 2,
    no_line_calls: 3,
    no_line_us: 5,
  });
  const column = (of: typeof row) => {
    const columns = kernelColumns({
      group: 'name',
      total_us: 100,
      spread: { steps: 1, suffix: '' },
      labels: new Map([['/p/net.py', 'net.py']]),
      onOperator: null,
    });
    return shown(columns, 'line', of);
  };

  test('are in the table by the dearest', () => {
    expect([column(row), column(GEMM)]).toEqual(['net.py:4', '']);
  });

  test('leave to the others what is neither theirs nor of no known line', () => {
    expect(others(row)).toEqual({ total_us: 10, calls: 3 });
  });
});

describe('the numbers of the page', () => {
  const figures = (rows: Parameters<typeof kernels>[0]) =>
    Object.fromEntries(figuresOf(kernels(rows), { steps: 1, suffix: '' }).map(({ name, value }) => [name, value]));

  test('are those of all work, and of kernels without copies and fills', () => {
    expect(figures(ALL)).toEqual({
      GPU: '100 µs',
      'Kernels run': '10',
      'Mean kernel': '9.0 µs',
      'On Tensor Cores': '67 %',
      'Copies and fills': '10 %',
    });
  });

  test('say nothing of kernels where only copies ran', () => {
    expect(figures([COPY])).toEqual({ GPU: '10.0 µs', 'Kernels run': '0', 'Copies and fills': '100 %' });
    expect(figures([kernel('k', { total_us: 0 })])['Copies and fills']).toBe('0 %');
  });
});

test('choices are kept, and what is not of the present shape is left out', () => {
  const kept = { group: 'launch', families: ['gemm', 7], cores: 'with' };
  expect(restoreChoices(kept)).toMatchObject({ group: 'launch', families: ['gemm'], cores: 'with' });
  expect(restoreChoices({ group: 1, families: 'gemm', cores: 'some', per: null })).toEqual(DEFAULT_CHOICES);
});

/**
 * Hosting the user's TensorBoard: what it says when it is ready, what is missing, the page around it, and the messages that are jumps.
 */
import { describe, expect, test } from 'vitest';
import { jumpOf } from '../../extension/tensorboard/jump';
import { tensorBoardHtml } from '../../extension/tensorboard/page';
import { addressIn, installCommand, missingPackages } from '../../extension/tensorboard/process';

describe('TensorBoard says where it is', () => {
  test('in the line that it writes when it is ready', () => {
    expect(addressIn('TensorBoard 2.21.0 at http://127.0.0.1:41257/ (Press CTRL+C to quit)')).toBe('http://127.0.0.1:41257/');
  });

  test('and in no other', () => {
    expect(addressIn('I1130 12:00:00 http://127.0.0.1 TensorBoard is loading')).toBeUndefined();
  });
});

describe('what the interpreter lacks', () => {
  test('is named as pip names it', () => {
    expect(missingPackages('["torch_tb_profiler"]\n')).toEqual(['torch-tb-profiler']);
    expect(missingPackages('[]')).toEqual([]);
  });

  test('is unknown where the interpreter gave no answer', () => {
    expect(missingPackages('')).toBeUndefined();
    expect(missingPackages('Segmentation fault')).toBeUndefined();
  });

  test('is installed by a command that can be pasted', () => {
    expect(installCommand('/a b/python', ['tensorboard'])).toBe('"/a b/python" -m pip install tensorboard');
  });
});

describe('a click on a frame', () => {
  test('counts lines from 0, and line 0 is the first line of a file', () => {
    expect(jumpOf({ filename: 'train.py', line: 0 })).toEqual({ file: 'train.py', line: 1 });
    expect(jumpOf({ filename: '/job/model.py', line: 41 })).toEqual({ file: '/job/model.py', line: 42 });
  });

  test.each([
    null,
    'train.py',
    {},
    { filename: 'train.py' },
    { filename: '', line: 3 },
    { filename: 'a.py', line: -1 },
    { filename: 'a.py', line: 1.5 },
    { filename: 7, line: 1 },
  ])('is not %j', (message) => {
    expect(jumpOf(message)).toBeUndefined();
  });
});

describe('the page around TensorBoard', () => {
  const html = tensorBoardHtml('https://host.example/proxy/6006/');

  test('frames the address as the window reaches it, at the profiler', () => {
    expect(html).toContain('src="https://host.example/proxy/6006/#pytorch_profiler"');
    expect(html).toContain('data-origin="https://host.example"');
  });

  test('allows its frame and its script, and nothing else', () => {
    const [, csp] = /content="([^"]+)"/.exec(html) ?? [];
    expect(csp).toMatch(/^default-src 'none'; frame-src https:\/\/host\.example; style-src 'nonce-[^']+'; script-src 'nonce-[^']+'$/);
  });

  test('has no gap below the frame by which all could be scrolled', () => {
    expect(html).toMatch(/iframe \{ display: block;/);
  });

  test('takes an address as text', () => {
    expect(tensorBoardHtml('http://127.0.0.1:6006/?a="><script>')).not.toContain('"><script>');
  });
});

/**
 * The formatter of numbers says what its Python twin says: both are held to one table.
 */
import { describe, expect, test } from 'vitest';
import golden from '../data/format_golden.json';
import { count, share, sizeBytes, timePairUs, timeUs } from '../../extension/format';

type Case = readonly [input: number | number[], text: string];

const FORMATTERS: Readonly<Record<string, (first: number, second: number) => string>> = {
  time_us: (value) => timeUs(value),
  time_us_plus: (value) => timeUs(value, true),
  time_pair_us: (forward, backward) => timePairUs(forward, backward),
  size_bytes: (value) => sizeBytes(value),
  size_bytes_plus: (value) => sizeBytes(value, true),
  share: (value) => share(value),
  count: (value) => count(value),
};

describe('every formatter of the golden table', () => {
  test.each(Object.entries(golden))('%s', (name, cases) => {
    const format = FORMATTERS[name];
    expect(format, `the table has a formatter that this side lacks: ${name}`).toBeDefined();
    for (const [input, text] of cases as unknown as Case[]) {
      const [first = 0, second = 0] = Array.isArray(input) ? input : [input];
      expect(format?.(first, second), `${name}(${first}, ${second})`).toBe(text);
    }
  });
});

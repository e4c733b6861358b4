// What `npm run setup` decides: whether the packages are there, and which Python to take.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isInstalled } from '../../scripts/lib/packages.mjs';
import { findPython } from '../../scripts/lib/python.mjs';

describe('npm packages', () => {
  const lock = {
    '': { name: 'kinetoscope' },
    'node_modules/a': { version: '1.0.0' },
    'node_modules/a-darwin': { version: '1.0.0', optional: true },
  };

  test('are installed when each is there in its version, but for those of other platforms', () => {
    expect(isInstalled(lock, { 'node_modules/a': { version: '1.0.0' } })).toBe(true);
  });

  test.each([
    ['nothing is installed', null],
    ['one is missing', {}],
    ['one has another version', { 'node_modules/a': { version: '0.9.0' } }],
    ['one is left over', { 'node_modules/a': { version: '1.0.0' }, 'node_modules/old': { version: '1.0.0' } }],
  ])('are not installed when %s', (_, installed) => {
    expect(isInstalled(lock, installed)).toBe(false);
  });
});

describe('the interpreter', () => {
  let folder;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'pythons-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const fake = (version) => {
    const file = path.join(folder, `python-${version}`);
    writeFileSync(file, `#!/bin/sh\necho ${version}\n`);
    chmodSync(file, 0o755);
    return file;
  };

  test('is the one that KINETOSCOPE_PYTHON names', () => {
    const python = fake('3.11.7');
    expect(findPython({ KINETOSCOPE_PYTHON: python })).toEqual({ python, version: [3, 11, 7] });
  });

  test('that is too old is refused with its version and a remedy', () => {
    const python = fake('3.9.18');
    expect(() => findPython({ KINETOSCOPE_PYTHON: python })).toThrow(
      /Python 3\.10 or newer: .*python-3\.9\.18 is Python 3\.9\.18[\s\S]*KINETOSCOPE_PYTHON=/,
    );
  });

  test('that does not exist is refused by its name', () => {
    expect(() => findPython({ KINETOSCOPE_PYTHON: '/nowhere/python3' })).toThrow(/\/nowhere\/python3 could not be run/);
  });
});

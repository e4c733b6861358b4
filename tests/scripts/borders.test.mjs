// The borders between the extension host and the pages, as eslint.config.mjs draws them: what must not cross does not, what may does.
import path from 'node:path';
import { ESLint, Linter } from 'eslint';
import { describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

/** The messages that `statement` gets in `file` from the rules about imports, with the options that the repository's configuration gives them. */
async function importProblems(file, statement) {
  const config = await new ESLint({ cwd: root }).calculateConfigForFile(path.join(root, file));
  const rules = Object.fromEntries(Object.entries(config.rules).filter(([name]) => name.endsWith('no-restricted-imports')));
  expect(Object.keys(rules)).not.toEqual([]);
  const { parser } = config.languageOptions;
  const only = [{ files: ['**/*.ts', '**/*.tsx'], plugins: config.plugins, languageOptions: { parser }, rules }];
  return new Linter({ cwd: root }).verify(statement, only, { filename: file }).map(({ message }) => message);
}

const PAGE = 'extension/webview/lines/main.tsx';
const HOST = 'extension/views/linesPanel.ts';

describe('forbidden', () => {
  test.each([
    [PAGE, "import * as vscode from 'vscode';"],
    [PAGE, "import type { Uri } from 'vscode';"],
    [PAGE, "import * as fs from 'node:fs';"],
    [PAGE, "import { Server } from '../../server/server';"],
    [PAGE, "import { open } from '../../views/source';"],
    [PAGE, "import { Sessions } from '../../launch/sessions';"],
    [PAGE, "import { settings } from '../../settings';"],
    [HOST, "import { Table } from '../webview/shared/table';"],
    [HOST, "import type { Row } from '../webview/lines/rows';"],
  ])('%s: %s', async (file, statement) => {
    expect(await importProblems(file, statement)).toHaveLength(1);
  });
});

describe('allowed', () => {
  test.each([
    [PAGE, "import type { LinesView } from '../../server/wire';"],
    [PAGE, "import { formatTime } from '../shared/format';"],
    [PAGE, "import { timeUs } from '../../format';"],
    [PAGE, "import { render } from 'preact';"],
    [HOST, "import * as vscode from 'vscode';"],
    [HOST, "import * as fs from 'node:fs';"],
    [HOST, "import type { LinesView } from '../server/wire';"],
  ])('%s: %s', async (file, statement) => {
    expect(await importProblems(file, statement)).toEqual([]);
  });
});

/**
 * A plain browser as a place for the pages: it has every theme variable that they use, in each theme that a system can be set to.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, openBrowser } from './playground/playground';

const root = path.resolve(import.meta.dirname, '../..');
const pages = path.join(root, 'extension/webview');
const served = path.join(root, 'pyserver/kinetoscope/web/static');

/** In VS Code too, only themes of high contrast have these. */
const CONTRAST_ONLY = ['--vscode-contrastBorder', '--vscode-contrastActiveBorder'];

const THEMES = {
  light: { colorScheme: 'light', kind: 'vscode-light', background: 'rgb(255, 255, 255)' },
  dark: { colorScheme: 'dark', kind: 'vscode-dark', background: 'rgb(31, 31, 31)' },
  'high contrast light': { colorScheme: 'light', contrast: 'more', kind: 'vscode-high-contrast-light', background: 'rgb(255, 255, 255)' },
  'high contrast dark': { colorScheme: 'dark', contrast: 'more', kind: 'vscode-high-contrast', background: 'rgb(0, 0, 0)' },
  'forced colours': { colorScheme: 'dark', forcedColors: 'active', kind: 'vscode-high-contrast', background: 'rgb(0, 0, 0)' },
} as const;

function stylesAndScripts(): string[] {
  return readdirSync(pages, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.(css|tsx?)$/.test(name) && path.basename(name) !== 'browser.css',
  );
}

function withoutComments(file: string): string {
  return readFileSync(path.join(pages, file), 'utf8').replaceAll(/\/\*.*?\*\//gs, '');
}

function usedVariables(): string[] {
  const names = stylesAndScripts().flatMap((file) => withoutComments(file).match(/--vscode-[a-zA-Z0-9-]+/g) ?? []);
  return [...new Set(names)].sort();
}

describe.skipIf(!existsSync(chromiumPath))('a plain browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(async () => await browser.close());

  const open = async (theme: keyof typeof THEMES): Promise<Page> => {
    const { colorScheme, ...rest } = THEMES[theme];
    const page = await browser.newPage();
    await page.emulateMedia({
      colorScheme,
      contrast: 'contrast' in rest ? rest.contrast : 'no-preference',
      forcedColors: 'forcedColors' in rest ? rest.forcedColors : 'none',
    });
    await page.setContent('<body style="background: var(--vscode-editor-background); color: var(--vscode-foreground)">text</body>');
    await page.addStyleTag({ path: path.join(served, 'browser.css') });
    await page.addScriptTag({ path: path.join(served, 'browser.js'), type: 'module' });
    await page.waitForFunction(() => document.body.className !== '');
    return page;
  };

  test.each(Object.keys(THEMES) as (keyof typeof THEMES)[])('has all variables that pages use, in %s', async (theme) => {
    const { kind, background } = THEMES[theme];
    const page = await open(theme);
    const missing = await page.evaluate((names) => {
      const style = getComputedStyle(document.documentElement);
      return names.filter((name) => style.getPropertyValue(name).trim() === '');
    }, usedVariables());
    expect(missing).toEqual(kind.includes('contrast') ? [] : CONTRAST_ONLY.filter((name) => usedVariables().includes(name)).sort());
    expect(await page.evaluate(() => document.body.className)).toBe(kind);
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(background);
    await page.close();
  });

  test('follows the system when it is set otherwise', async () => {
    const page = await open('light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForFunction(() => document.body.className === 'vscode-dark');
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(31, 31, 31)');
    await page.close();
  });
});

test('only browser.css has colours of its own', () => {
  for (const file of stylesAndScripts().filter((name) => name.endsWith('.css'))) {
    expect(withoutComments(file).match(/#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(/gi) ?? [], file).toEqual([]);
  }
});

/**
 * The VS Code workbench as a person uses it: keys, menus, what is to be read on the screen. Waits for what is expected; never for a time, with one
 * exception that is named where it is.
 */
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, FrameLocator, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Host } from './host';

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function launchBrowser(): Promise<Browser> {
  return await chromium.launch({ executablePath: process.env.KINETOSCOPE_CHROMIUM ?? '/usr/bin/chromium', headless: true, args: ARGS });
}

export class Workbench {
  /** Requests that would have left the machine. */
  readonly offsite = new Set<string>();

  private constructor(
    readonly page: Page,
    private readonly context: BrowserContext,
  ) {
    context.setDefaultTimeout(30_000);
    context.on('request', (request) => {
      const url = new URL(request.url());
      // Resources of webviews have names of that domain, which VS Code's service worker answers itself.
      const local = url.hostname === '127.0.0.1' || url.hostname.endsWith('.vscode-resource.vscode-cdn.net');
      if (/^(https?|wss?):$/.test(url.protocol) && !local) {
        this.offsite.add(url.href);
      }
    });
  }

  /** A clean window on `folder`. */
  static async open(browser: Browser, host: Host, folder: string): Promise<Workbench> {
    const context = await browser.newContext({
      viewport: { width: 1400, height: 900 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const workbench = new Workbench(await context.newPage(), context);
    const url = new URL(host.url);
    url.searchParams.set('folder', folder);
    url.searchParams.set('payload', JSON.stringify([['skipWelcome', 'true'], ['skipReleaseNotes', 'true']])); // prettier-ignore
    await workbench.page.goto(url.href);
    await workbench.ready();
    return workbench;
  }

  async close(): Promise<void> {
    await this.context.close();
  }

  private async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench .part.sidebar .explorer-folders-view .monaco-list-row').first().waitFor({ timeout: 60_000 });
  }

  /** Loads the window again, as after a restart of the editor. */
  /**
   * Loads the window anew. In a browser the workbench writes its state down every few seconds, and not when it is left: what matches `kept` is waited
   * for in what it has written.
   */
  async reload(kept?: RegExp): Promise<void> {
    if (kept) {
      await expect.poll(async () => kept.test(await this.written()), { timeout: 90_000, interval: 500 }).toBe(true);
    }
    await this.page.reload();
    await this.page.locator('.monaco-workbench .statusbar-item').first().waitFor({ timeout: 60_000 });
  }

  /** The state that the workbench has written down, as text. */
  private async written(): Promise<string> {
    return await this.page.evaluate(async () => {
      const done = async <T>(request: IDBRequest<T>) =>
        await new Promise<T>((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error ?? new Error('it was not read'));
        });
      const values: string[] = [];
      for (const { name } of await indexedDB.databases()) {
        if (name?.startsWith('vscode-web-state-db-') === true) {
          const database = await done(indexedDB.open(name));
          if (database.objectStoreNames.contains('ItemTable')) {
            const all: unknown[] = await done(database.transaction('ItemTable').objectStore('ItemTable').getAll());
            values.push(...all.map(String));
          }
          database.close();
        }
      }
      return values.join('\n');
    });
  }

  /**
   * Opens the quick input with `key` and types `text`. One that is on its way out is waited for, one that stays is closed. While the window restores
   * it takes the focus back, and keys get lost: they are sent again until the box is seen.
   */
  private async quickInput(key: string, text: string): Promise<Locator> {
    const input = this.page.locator('.quick-input-widget:visible .quick-input-box input').first();
    await input.waitFor({ state: 'hidden', timeout: 2000 }).catch(async () => await this.page.keyboard.press('Escape'));
    for (let attempt = 0; attempt < 8; attempt++) {
      await this.page.keyboard.press(key);
      try {
        await input.waitFor({ timeout: 2000 });
        await input.fill(text, { timeout: 2000 });
        break;
      } catch (error) {
        if (attempt === 7) {
          throw error;
        }
      }
    }
    return this.quickRows();
  }

  quickRows(): Locator {
    return this.page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row');
  }

  /** Picks a row of the quick pick that is open. */
  async pick(text: string | RegExp): Promise<void> {
    await this.quickRows().filter({ hasText: text }).first().click();
  }

  async openFile(name: string): Promise<void> {
    await this.choose('Control+P', name, name);
    await this.tab(name).waitFor();
  }

  /** Runs a command of the palette. Which commands there are depends on the editor that has the focus: the palette is opened anew until it has it. */
  async run(title: string): Promise<void> {
    await this.choose('F1', `>${title}`, title);
  }

  /**
   * Chooses the row with `title` of the quick input that `key` opens. An editor that only now takes the focus closes the input, even while the row is
   * being clicked: the whole is done anew, as a user would.
   */
  private async choose(key: string, text: string, title: string): Promise<void> {
    for (let attempt = 0; attempt < 6; attempt++) {
      const rows = await this.quickInput(key, text);
      try {
        await rows.filter({ hasText: title }).first().click({ timeout: 5000 });
        return;
      } catch {
        await this.page.keyboard.press('Escape');
      }
    }
    throw new Error(`${key} offers no row with ${title} that can be clicked`);
  }

  /** True where the palette offers the command. */
  async offers(title: string): Promise<boolean> {
    const rows = await this.quickInput('F1', `>${title}`);
    await rows.first().waitFor();
    const found = await rows.filter({ hasText: title }).count();
    await this.page.keyboard.press('Escape');
    return found > 0;
  }

  /** Switches to a colour theme by its title; `base` is the class that the window has then. */
  async useTheme(title: string, base: string): Promise<void> {
    await this.run('Preferences: Color Theme');
    await this.page.keyboard.type(title);
    await this.pick(title);
    await this.page.locator(`.monaco-workbench.${base}`).waitFor();
  }

  tab(name: string): Locator {
    return this.page.locator(`.tab.active[data-resource-name="${name}"]`);
  }

  editor(name: string): Locator {
    return this.page.locator('.editor-group-container', { has: this.tab(name) }).locator('.monaco-editor[data-uri]');
  }

  /** The line on the screen that has `text`; blanks in it may be any. */
  line(name: string, text: string | RegExp): Locator {
    return this.editor(name).locator('.view-line', { hasText: text });
  }

  /** The line with `code`, once it shows a number that starts with `number` behind it. */
  numbered(name: string, code: string, number = 'CPU '): Locator {
    // The editor writes blanks as no-break spaces, which a RegExp tells apart.
    const pattern = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(' ', '\\s');
    return this.line(name, new RegExp(`${pattern(code)}\\s*${pattern(number)}`)).first();
  }

  /**
   * What the line with `text` shows, hints included. Found and read in one go: the editor uses its elements for other lines when lines move.
   */
  async lineText(name: string, text: string): Promise<string> {
    const lines = await this.editor(name)
      .locator('.view-line')
      .evaluateAll((elements) => elements.map((element) => element.textContent.replaceAll('\u00a0', ' ')));
    return lines.find((line) => line.includes(text)) ?? `no line with ${text} is shown`;
  }

  lenses(name: string): Locator {
    return this.editor(name).locator('.codelens-decoration > a');
  }

  /** The heat bars on the screen: the line that each stands on, its width in pixels and its colour. */
  async bars(name: string): Promise<{ line: string; width: number; color: string }[]> {
    return await this.editor(name)
      .locator('.view-line [class*="TextEditorDecorationType"]')
      .evaluateAll((elements) =>
        elements.flatMap((element) => {
          const { backgroundColor: color, width } = getComputedStyle(element, '::before');
          const line = (element.closest('.view-line')?.textContent ?? '').replaceAll('\u00a0', ' ');
          return color === 'rgba(0, 0, 0, 0)' ? [] : [{ line, width: parseFloat(width), color }];
        }),
      );
  }

  /** Points at `word` in the line with `code` and waits for the hover that has `text`. */
  async hover(name: string, code: string, word: string, text: string): Promise<Locator> {
    const line = this.line(name, code).first();
    // After a context menu the editor believes that the mouse is still pressed, and shows no hover before the next click.
    await line.click();
    const hover = this.page.locator('.monaco-hover:visible', { hasText: text }).first();
    for (let attempt = 0; attempt < 5; attempt++) {
      await this.editor(name).hover({ position: { x: 500, y: 5 } });
      await line.getByText(word).last().hover();
      if (
        await hover.waitFor({ timeout: 5000 }).then(
          () => true,
          () => false,
        )
      ) {
        break;
      }
    }
    await hover.waitFor({ timeout: 1000 });
    return hover;
  }

  /** Opens the context menu until it has `entry`: what extensions add is there a moment after the window. */
  async menu(target: Locator, entry: string): Promise<Locator> {
    const item = this.page.getByRole('menuitem', { name: entry, exact: true });
    for (let attempt = 0; attempt < 6; attempt++) {
      await target.click({ button: 'right' });
      if (
        await item.waitFor({ timeout: 4000 }).then(
          () => true,
          () => false,
        )
      ) {
        return item;
      }
      await this.page.keyboard.press('Escape');
    }
    throw new Error(`the context menu has no entry ${entry}`);
  }

  async pickFromMenu(target: Locator, entry: string): Promise<void> {
    const item = await this.menu(target, entry);
    await this.clickMenuItem(item);
  }

  /** A menu ignores the mouse during its first 100 ms, so that the click which opened it chooses nothing. Nothing on the screen tells when they are over. */
  async clickMenuItem(item: Locator): Promise<void> {
    await this.page.waitForTimeout(250);
    await item.click();
    await item.waitFor({ state: 'detached' });
  }

  /** A row of the explorer. */
  explorerRow(name: string): Locator {
    return this.page.locator('.explorer-folders-view .monaco-list-row', { hasText: name });
  }

  async showContainer(name: string): Promise<void> {
    const tab = this.page.locator('.activitybar').getByRole('tab', { name });
    if ((await tab.getAttribute('aria-expanded')) !== 'true') {
      await tab.click();
    }
  }

  pane(title: string): Locator {
    return this.page.locator('.pane', { has: this.page.locator('.pane-header', { hasText: title }) });
  }

  /** The document of the n-th visible webview. */
  webview(n = 0): FrameLocator {
    return this.page.locator('iframe.webview.ready').nth(n).contentFrame().frameLocator('iframe#active-frame');
  }

  /** Goes to a page of the app, where there is room for their list. */
  async goToPage(title: string): Promise<void> {
    await this.webview()
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('button', { name: title, exact: true })
      .click({ timeout: 60_000 });
  }

  statusItem(text: string | RegExp): Locator {
    return this.page.locator('.statusbar-item[id^="kinetoscope.kinetoscope"]', { hasText: text });
  }

  /** Waits until the cursor is on that line, counting from 1. */
  async cursorOn(line: number): Promise<void> {
    await this.page.locator('[id="status.editor.selection"]', { hasText: new RegExp(`Ln ${line}, Col \\d+`) }).waitFor();
  }

  toast(text: string | RegExp): Locator {
    return this.page.locator('.notification-toast', { hasText: text });
  }

  terminal(): Locator {
    return this.page.locator('.terminal-wrapper.active .xterm-rows');
  }
}

/**
 * A page in a plain browser, with a host that answers from a sample: for tests of the page. With KINETOSCOPE_SCREENSHOTS=1 they keep pictures of every theme and width in out/playground/.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import type { LinesView } from '../../../extension/server/wire';
import type { FromPage, PageRequests, RequestMessage, ToPage } from '../../../extension/views/messages';
import { DETAIL, VIEW } from './sample';
import { THEMES } from './themes';

const DIST = path.resolve(import.meta.dirname, '../../../dist/webview');
const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css', '.ttf': 'font/ttf' };
const ORIGIN = 'http://page.test';

export interface PlaygroundOptions {
  readonly theme?: string;
  readonly widthPx?: number;
  readonly heightPx?: number;
  /** What the server answers: a view, words of a failure, or nothing yet. */
  readonly view?: LinesView | string | null;
  /** The run that the page is bound to; otherwise it follows the active one. */
  readonly run?: string;
}

export const chromiumPath = process.env.KINETOSCOPE_CHROMIUM ?? '/usr/bin/chromium';

export async function openBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: chromiumPath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  });
}

export class Playground {
  /** What the page asked of its host, in order. */
  readonly asked: RequestMessage[] = [];

  private constructor(
    readonly page: Page,
    private readonly view: LinesView | string | null,
  ) {}

  static async open(browser: Browser, options: PlaygroundOptions = {}): Promise<Playground> {
    const { theme = 'dark', widthPx = 1200, heightPx = 760 } = options;
    const page = await browser.newPage({ viewport: { width: widthPx, height: heightPx }, reducedMotion: 'reduce' });
    const playground = new Playground(page, options.view === undefined ? VIEW : options.view);
    await page.exposeFunction('hostReceives', (message: FromPage) => playground.receive(message));
    await page.addInitScript(() => {
      const scope = window as unknown as Record<string, unknown>;
      let state: unknown;
      scope.acquireVsCodeApi = () => ({
        postMessage: (message: unknown) => (scope.hostReceives as (m: unknown) => void)(message),
        getState: () => state,
        setState: (next: unknown) => {
          state = next;
        },
      });
    });
    await page.route(`${ORIGIN}/**`, async (route) => {
      const name = new URL(route.request().url()).pathname.slice(1);
      if (name === '') {
        await route.fulfill({ contentType: 'text/html', body: html(theme, options.run ?? '') });
      } else {
        await route.fulfill({ contentType: TYPES[path.extname(name)] ?? 'text/plain', body: readFileSync(path.join(DIST, name)) });
      }
    });
    await page.goto(`${ORIGIN}/`);
    return playground;
  }

  async send(message: ToPage): Promise<void> {
    await this.page.evaluate((data) => window.postMessage(data, '*'), message as unknown);
  }

  requests<M extends keyof PageRequests>(method: M): PageRequests[M]['params'][] {
    return this.asked.filter((message) => message.method === method).map(({ params }) => params);
  }

  private async receive(message: FromPage): Promise<void> {
    if (message.kind !== 'request') {
      return;
    }
    this.asked.push(message);
    const { id, method } = message;
    if (method === 'kinetoscope/lines/view') {
      if (typeof this.view === 'string') {
        await this.send({ kind: 'reply', id, error: this.view });
      } else if (this.view !== null) {
        await this.send({ kind: 'reply', id, result: this.view });
      }
    } else {
      await this.send({ kind: 'reply', id, result: method === 'kinetoscope/lines/detail' ? DETAIL : {} });
    }
  }
}

function html(theme: string, run: string): string {
  const { kind, variables } = THEMES[theme] ?? { kind: 'vscode-dark', variables: {} };
  const style = Object.entries(variables).map(([name, value]) => `--vscode-${name}: ${value}`).join('; '); // prettier-ignore
  return `<!DOCTYPE html><html lang="en" style="${style}"><head><meta charset="utf-8"><link rel="stylesheet" href="lines.css"></head>
    <body class="${kind}"><main id="root" data-run="${run}"></main><script type="module" src="lines.js"></script></body></html>`;
}

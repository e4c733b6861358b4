/**
 * The app in a plain browser, with a host that answers from a sample: for tests of the pages. With KINETOSCOPE_SCREENSHOTS=1 they keep pictures of every theme and width in out/playground/.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import type { LinesView, Part, RunDescription, RunList } from '../../../extension/server/wire';
import type { FromPage, PageEvents, PageRequests, RequestMessage, ToPage } from '../../../extension/views/messages';
import { DESCRIPTION, DETAIL, RUNS, VIEW } from './sample';
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
  /** The run that the app is bound to; otherwise it follows the active one. */
  readonly run?: string;
  readonly runs?: RunList;
  /** What the run is described as; words of a failure, or nothing yet. */
  readonly description?: RunDescription | string | null;
  /** Contents of views by their names; words of a failure. */
  readonly views?: Readonly<Record<string, unknown>>;
  /** Answers to other requests. */
  readonly answers?: Answers;
  /** The table's own page (fixture.tsx) instead of the pages of the app. */
  readonly fixture?: boolean;
  /** What the app kept before; otherwise it was on the Lines page. */
  readonly state?: unknown;
}

type Answers = { readonly [M in keyof PageRequests]?: (params: PageRequests[M]['params']) => PageRequests[M]['result'] | string | null };

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

  /** Questions that the page wants no answer to any more. */
  readonly cancelled: RequestMessage[] = [];

  private constructor(
    readonly page: Page,
    private readonly answers: Answers,
  ) {}

  static async open(browser: Browser, options: PlaygroundOptions = {}): Promise<Playground> {
    const { theme = 'dark', widthPx = 1200, heightPx = 760 } = options;
    const page = await browser.newPage({ viewport: { width: widthPx, height: heightPx }, reducedMotion: 'reduce' });
    const playground = new Playground(page, answersOf(options));
    await page.exposeFunction('hostReceives', (message: FromPage) => playground.receive(message));
    await page.addInitScript(
      (kept) => {
        const scope = window as unknown as Record<string, unknown>;
        // Over reloads, as VS Code keeps it.
        let state: unknown = JSON.parse(sessionStorage.getItem('state') ?? 'null') ?? kept;
        scope.acquireVsCodeApi = () => ({
          postMessage: (message: unknown) => (scope.hostReceives as (m: unknown) => void)(message),
          getState: () => state,
          setState: (next: unknown) => {
            state = next;
            sessionStorage.setItem('state', JSON.stringify(next));
          },
        });
      },
      options.state ?? { run: null, page: 'lines', pages: {} },
    );
    await page.route(`${ORIGIN}/**`, async (route) => {
      const name = new URL(route.request().url()).pathname.slice(1);
      if (name === '') {
        await route.fulfill({ contentType: 'text/html', body: html(theme, options.run ?? '') });
      } else {
        const body = name === 'app.js' && options.fixture === true ? fixture() : readFileSync(path.join(DIST, name));
        await route.fulfill({ contentType: TYPES[path.extname(name)] ?? 'text/plain', body });
      }
    });
    await page.goto(`${ORIGIN}/`);
    return playground;
  }

  async send(message: ToPage): Promise<void> {
    await this.page.evaluate((data) => window.postMessage(data, '*'), message as unknown);
  }

  async event<E extends keyof PageEvents>(event: E, data: PageEvents[E]): Promise<void> {
    await this.send({ kind: 'event', event, data });
  }

  requests<M extends keyof PageRequests>(method: M): PageRequests[M]['params'][] {
    return this.asked.filter((message) => message.method === method).map(({ params }) => params);
  }

  private async receive(message: FromPage): Promise<void> {
    if (message.kind === 'cancel') {
      this.cancelled.push(...this.asked.filter(({ id }) => id === message.id));
    }
    if (message.kind !== 'request') {
      return;
    }
    this.asked.push(message);
    const { id, method, params } = message;
    const answer = (this.answers[method] as ((params: unknown) => unknown) | undefined)?.(params);
    if (typeof answer === 'string') {
      await this.send({ kind: 'reply', id, error: answer });
    } else if (answer !== null) {
      await this.send({ kind: 'reply', id, result: answer ?? {} });
    }
  }
}

let fixtureScript: string | undefined;

function fixture(): string {
  fixtureScript ??= buildSync({
    entryPoints: [path.join(import.meta.dirname, 'fixture.tsx')],
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // The styles are those of the app.
    loader: { '.css': 'empty' },
  }).outputFiles[0]?.text;
  return fixtureScript ?? '';
}

/** The server's answers, and the part that is selected. */
function answersOf(options: PlaygroundOptions): Answers {
  const { runs = RUNS, description = DESCRIPTION, view = VIEW, views = {} } = options;
  let part: Part = {};
  const described = () => (typeof description === 'string' || description === null ? description : { ...description, part });
  return {
    'kinetoscope/runs/list': () => runs,
    'kinetoscope/run/describe': described,
    'kinetoscope/part/select': (params) => {
      part = params.part ?? {};
      return described();
    },
    'kinetoscope/lines/view': () => view,
    'kinetoscope/lines/detail': () => DETAIL,
    'kinetoscope/view': ({ name }) => {
      const content = views[name];
      return typeof content === 'string' || content === null ? content : { content };
    },
    ...options.answers,
  };
}

function html(theme: string, run: string): string {
  const { kind, variables } = THEMES[theme] ?? { kind: 'vscode-dark', variables: {} };
  const style = Object.entries(variables).map(([name, value]) => `--vscode-${name}: ${value}`).join('; '); // prettier-ignore
  return `<!DOCTYPE html><html lang="en" style="${style}"><head><meta charset="utf-8"><link rel="stylesheet" href="app.css"></head>
    <body class="${kind}"><main id="root" data-run="${run}"></main><script type="module" src="app.js"></script></body></html>`;
}

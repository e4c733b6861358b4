// How fast the pages draw, in a real Chromium over the real `kinetoscope view`.
//
//     npm run build && node bench/pages.mjs [--events 5000000] [--frames 240] [--trace FILE] [--python .venv/bin/python] [--profile FOLDER]
//
// - timeline: panned and zoomed over a trace of millions of events (bench/long_trace.py), one wheel event a frame;
// - flame graph: the same over the stacks of `--trace`, a real trace (without one: those of the generated trace);
// - first paint: from the start of the navigation to the first content, and to the content of the first page, of a run that has been read;
// - sizes of what a page loads, compressed as gzip does.
//
// Of each frame: `script`, what our handlers and drawing take; `main`, all that the main thread of the page does from one frame to the
// next, its garbage collection, decoding of tiles and, without a GPU, part of the rasterizing included; in CPU time, where Chromium tells
// it, since a shared machine takes the rest. The interval between frames stands beside that of an empty page in the same browser: where the
// machine gives an empty page no 60 frames a second, ours can't have them.
//
// The browser is found as in the end-to-end tests (KINETOSCOPE_CHROMIUM). Exit code 1 where a budget of the design is not met.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { findChromium } from '../scripts/lib/browser.mjs';
import { root } from '../scripts/lib/process.mjs';

const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '5000000' },
    frames: { type: 'string', default: '240' },
    trace: { type: 'string', default: path.join(root, '../shared/traces/amd_mi300_sd35_infer.json.gz') },
    python: { type: 'string', default: path.join(root, '.venv/bin/python') },
    work: { type: 'string', default: path.join(os.tmpdir(), 'kinetoscope-bench') },
    only: { type: 'string', default: 'sizes,paint,timeline,flame' },
    profile: { type: 'string' },
  },
});
const BUDGET = { frameMs: 16, paintMs: 500, gzipKb: 400 };
const FRAMES = Number(options.frames);
const ENV = { ...process.env, XDG_CACHE_HOME: path.join(options.work, 'cache') };
const VIEWPORT = { width: 2000, height: 1000 };
const failures = [];

function budget(name, value, most, unit) {
  const ok = value <= most;
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name}, ${unit} ${value.toFixed(1)} (at most ${most})`);
  if (!ok) {
    failures.push(name);
  }
}

function percentile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.length === 0 ? NaN : sorted[Math.min(sorted.length - 1, Math.floor((part / 100) * sorted.length))];
}

const spread = (values) =>
  `p50 ${percentile(values, 50).toFixed(1)} p95 ${percentile(values, 95).toFixed(1)} most ${Math.max(...values).toFixed(1)}`;

// Sizes.

function sizes() {
  const folder = path.join(root, 'pyserver/kinetoscope/web/static');
  const files = readdirSync(folder).filter((name) => /\.(js|css|ttf)$/.test(name));
  let sum = 0;
  for (const name of files) {
    const content = readFileSync(path.join(folder, name));
    const size = gzipSync(content).length;
    sum += size;
    console.log(
      `${name.padEnd(14)} ${(content.length / 1000).toFixed(0).padStart(5)} kB ${(size / 1000).toFixed(0).padStart(5)} kB gzipped`,
    );
  }
  budget('all files of the app, gzipped', sum / 1000, BUDGET.gzipKb, 'kB');
}

// The server and the browser.

async function serve(traces) {
  const child = spawn(options.python, ['-m', 'kinetoscope', 'view', '--no-browser', ...traces], {
    env: ENV,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const address = await new Promise((resolve, reject) => {
    child.stdout.on('data', (data) => {
      const found = /http:\S+/.exec(data.toString());
      if (found) {
        resolve(found[0]);
      }
    });
    child.once('exit', (code) => reject(new Error(`kinetoscope view ended with ${code}`)));
  });
  return { address, stop: () => child.kill('SIGINT') };
}

/** The address of a page of a trace. */
function link(address, page, trace, state) {
  const query = new URLSearchParams({ run: trace, ...(state === undefined ? {} : { state: JSON.stringify(state) }) });
  return `${address}&/${page}?${query}`;
}

// In the page: what our own callbacks of frames take, and when the first content of a page is there.
function watch() {
  const own = window.requestAnimationFrame.bind(window);
  const bench = { raf: own, drawMs: 0, contentMs: null };
  window.bench = bench;
  window.requestAnimationFrame = (callback) =>
    own((time) => {
      const start = performance.now();
      callback(time);
      bench.drawMs += performance.now() - start;
    });
  const isThere = () => document.querySelector('.page:not([hidden]) .answer > .content > *') !== null;
  const observer = new MutationObserver(() => {
    if (isThere()) {
      observer.disconnect();
      // The frame that shows it has been drawn when the one after it begins.
      own(() => own(() => (bench.contentMs = performance.now())));
    }
  });
  observer.observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ['hidden'] });
}

// In the page: one wheel event each frame. `moves`: [deltaX, deltaY, ctrlKey] in turn, each held for some frames.
async function drive({ selector, frames, moves }) {
  const { bench } = window;
  const raf = bench?.raf ?? window.requestAnimationFrame.bind(window);
  const target = selector === null ? null : document.querySelector(selector);
  const box = target?.getBoundingClientRect();
  const out = { interval: [], script: [] };
  const hold = Math.ceil(frames / moves.length);
  let before = null;
  for (let frame = 0; frame <= frames; frame++) {
    const time = await new Promise((resolve) => raf(resolve));
    // Of the frame before: drawn by its callback, asked for by its handler. Waiting for a promise goes on behind the frame's callbacks.
    if (before !== null) {
      out.interval.push(time - before.time);
      out.script.push(before.handlerMs);
    }
    performance.mark(`bench-frame-${frame}`);
    const start = performance.now();
    if (target) {
      const [deltaX, deltaY, ctrlKey] = moves[Math.min(moves.length - 1, Math.floor(frame / hold))];
      const at = { clientX: box.left + box.width * 0.37, clientY: box.top + box.height / 2 };
      target.dispatchEvent(new WheelEvent('wheel', { deltaX, deltaY, ctrlKey, bubbles: true, cancelable: true, ...at }));
    }
    const handlerMs = performance.now() - start + (bench?.drawMs ?? 0);
    if (bench) {
      bench.drawMs = 0;
    }
    before = { time, handlerMs };
  }
  return out;
}

/** Drives a page under Chromium's own tracing: `{interval, script, main, mainIsCpu}` of each frame, ms. */
async function measured(browser, page, how, profile) {
  const session = await browser.newBrowserCDPSession();
  const events = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  const categories = ['toplevel', 'blink.user_timing', 'devtools.timeline', ...(profile ? ['disabled-by-default-v8.cpu_profiler'] : [])];
  await session.send('Tracing.start', { traceConfig: { includedCategories: categories }, transferMode: 'ReportEvents' });
  const driven = await page.evaluate(drive, how);
  const done = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await done;
  await session.detach();
  if (profile) {
    mkdirSync(options.profile, { recursive: true });
    writeFileSync(path.join(options.profile, `${profile}.json`), JSON.stringify({ traceEvents: events }));
  }
  return { ...driven, ...mainThread(events) };
}

/** What the main thread of the page did from each mark to the next. */
function mainThread(events) {
  const marks = events.filter(({ name, ph }) => name.startsWith('bench-frame-') && ph !== 'E' && ph !== 'e').sort((a, b) => a.ts - b.ts);
  const { pid, tid } = marks[0] ?? {};
  const starts = marks.map(({ ts }) => ts);
  const tasks = events.filter(
    (event) => event.pid === pid && event.tid === tid && event.ph === 'X' && event.name === 'ThreadControllerImpl::RunTask',
  );
  // A few tasks have no CPU time: theirs is taken as the wall clock has it.
  const mainIsCpu = tasks.some(({ tdur }) => tdur !== undefined);
  const main = new Array(Math.max(0, starts.length - 1)).fill(0);
  for (const { ts, dur = 0, tdur } of tasks) {
    // The task in which the mark stands began before it: to the mark within it, else to the one before its start.
    const frame = starts.findLastIndex((start) => start <= ts + dur);
    if (frame >= 0 && frame < main.length) {
      main[frame] += (tdur ?? dur) / 1000;
    }
  }
  return { main, mainIsCpu };
}

function report(name, result, empty) {
  const ratio = percentile(result.interval, 50) / percentile(empty.interval, 50);
  console.log(
    `${name.padEnd(34)} script ${spread(result.script)} | main${result.mainIsCpu ? ' (CPU)' : ''} ${spread(result.main)} | ` +
      `interval ${spread(result.interval)}, ${ratio.toFixed(2)} of an empty page's`,
  );
}

async function emptyPage(browser) {
  const page = await browser.newPage({ viewport: VIEWPORT });
  await page.goto('about:blank');
  const result = await measured(browser, page, { selector: null, frames: Math.min(FRAMES, 120), moves: [[0, 0, false]] });
  await page.close();
  console.log(`${'an empty page'.padEnd(34)} main ${spread(result.main)} | interval ${spread(result.interval)}`);
  return result;
}

/** What it takes to show as large a canvas anew each frame: without a GPU, all its pixels are copied by the page's main thread. While it moves,
 * a page shows one. */
async function emptyCanvas(browser, selectorSize) {
  const page = await browser.newPage({ viewport: VIEWPORT });
  await page.goto('about:blank');
  await page.evaluate(([width, height]) => {
    const canvas = document.createElement('canvas');
    Object.assign(canvas, { width, height });
    document.body.append(canvas);
    const context = canvas.getContext('2d');
    let frame = 0;
    const draw = () => {
      context.clearRect(0, 0, width, height);
      context.fillRect(frame % width, 0, 5, 5);
      frame += 1;
      requestAnimationFrame(draw);
    };
    draw();
  }, selectorSize);
  const result = await measured(browser, page, { selector: null, frames: Math.min(FRAMES, 120), moves: [[0, 0, false]] });
  await page.close();
  console.log(`${'an empty canvas of that size'.padEnd(34)} main ${spread(result.main)} | interval ${spread(result.interval)}`);
}

async function opened(browser, address) {
  const page = await browser.newPage({ viewport: VIEWPORT, reducedMotion: 'reduce' });
  page.on('pageerror', (error) => console.log(`error in the page: ${error.message}`));
  await page.addInitScript(watch);
  await page.goto(address);
  await page.waitForFunction(() => window.bench.contentMs !== null, null, { timeout: 600_000 });
  return page;
}

const PAN = [
  [37, 0, false],
  [-37, 0, false],
];
const ZOOM = [
  [0, -6, true],
  [0, 6, true],
];

async function timeline(browser, address, trace) {
  const empty = await emptyPage(browser);
  const scripts = [];
  const main = [];
  const page = await opened(browser, link(address, 'timeline', trace));
  const selector = '.timeline-canvas';
  await page.waitForSelector(selector);
  const size = await page.locator(selector).evaluate((element) => [element.clientWidth, element.clientHeight]);
  await emptyCanvas(browser, size);
  await page.bringToFront();
  await page.waitForTimeout(8000);
  for (const [name, moves, zooms] of [
    ['timeline: zoom from the whole', ZOOM, 0],
    ['timeline: pan at a tenth', PAN, 40],
    ['timeline: pan at a thousandth', PAN, 80],
    ['timeline: zoom from there', ZOOM, 0],
    ['timeline: pan at a millionth', PAN, 115],
  ]) {
    if (zooms > 0) {
      await page.evaluate(drive, { selector, frames: zooms, moves: [[0, -6, true]] });
      await page.waitForTimeout(1500);
    }
    const result = await measured(browser, page, { selector, frames: FRAMES, moves }, options.profile && name.replaceAll(/\W+/g, '-'));
    report(name, result, empty);
    scripts.push(...result.script);
    main.push(...result.main);
  }
  if (options.profile) {
    await page.screenshot({ path: path.join(options.profile, 'timeline.png') });
  }
  await page.close();
  budget('timeline: script of a frame, p95', percentile(scripts, 95), BUDGET.frameMs, 'ms');
  budget('timeline: main thread of a frame, p95', percentile(main, 95), BUDGET.frameMs, 'ms');
}

async function flame(browser, address, trace) {
  const empty = await emptyPage(browser);
  const scripts = [];
  const main = [];
  for (const by of ['python', 'operator']) {
    const page = await opened(browser, link(address, 'flame', trace, { by, metric: 'cpu' }));
    const selector = '.flame-chart';
    await page.waitForSelector(selector);
    await page.waitForTimeout(1000);
    for (const [name, moves, zooms] of [
      [`flame graph by ${by}: zoom`, ZOOM, 0],
      [`flame graph by ${by}: pan`, PAN, 30],
    ]) {
      if (zooms > 0) {
        await page.evaluate(drive, { selector, frames: zooms, moves: [[0, -6, true]] });
      }
      const result = await measured(browser, page, { selector, frames: FRAMES, moves }, options.profile && name.replaceAll(/\W+/g, '-'));
      report(name, result, empty);
      scripts.push(...result.script);
      main.push(...result.main);
    }
    if (options.profile) {
      await page.screenshot({ path: path.join(options.profile, `flame-${by}.png`) });
    }
    await page.close();
  }
  budget('flame graph: script of a frame, p95', percentile(scripts, 95), BUDGET.frameMs, 'ms');
  budget('flame graph: main thread of a frame, p95', percentile(main, 95), BUDGET.frameMs, 'ms');
}

/** In a page: when its first content was painted, ms since the navigation began. */
async function paintedAt() {
  for (;;) {
    const [entry] = performance.getEntriesByName('first-contentful-paint');
    if (entry) {
      return entry.startTime;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function firstPaint(browser, address, trace) {
  const first = [];
  const word = [];
  const content = [];
  const cpu = [];
  for (let turn = 0; turn < 11; turn++) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    await page.addInitScript(watch);
    const session = await context.newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.goto(link(address, 'overview', trace));
    await page.waitForFunction(() => window.bench.contentMs !== null, null, { timeout: 600_000 });
    const times = { paint: await page.evaluate(paintedAt), content: await page.evaluate(() => window.bench.contentMs) };
    const { metrics } = await session.send('Performance.getMetrics');
    // The first reads the run.
    if (turn > 0) {
      first.push(times.paint);
      content.push(times.content);
      cpu.push((metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN) * 1000);
    }
    const plain = await context.newPage();
    await plain.goto('data:text/html,<p>word');
    word.push(await plain.evaluate(paintedAt));
    await context.close();
  }
  console.log(`first contentful paint, ms          ${spread(first)}`);
  console.log(`the same of a page with one word    ${spread(word)}`);
  console.log(`content of the first page, ms       ${spread(content)}`);
  console.log(`CPU of the page's main thread, ms   ${spread(cpu)}`);
  budget('first contentful paint, p50', percentile(first, 50), BUDGET.paintMs, 'ms');
}

const load = () =>
  `load ${os
    .loadavg()
    .map((value) => value.toFixed(1))
    .join(' ')} on ${os.cpus().length} cores`;

const only = options.only.split(',');
const executablePath = findChromium();
if (executablePath === undefined) {
  throw new Error('No Chromium was found: name one in KINETOSCOPE_CHROMIUM.');
}
console.log(load());
if (only.includes('sizes')) {
  sizes();
}
const made = spawnSync(options.python, [path.join(root, 'bench/long_trace.py'), '--events', options.events, '--work', options.work], {
  env: ENV,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
});
const long = made.stdout.trim();
if (made.status !== 0) {
  throw new Error('The long trace was not made.');
}
const real = existsSync(options.trace) ? path.resolve(options.trace) : long;
const server = await serve(real === long ? [long] : [real, long]);
const browser = await chromium.launch({ executablePath, headless: true, args: ['--no-sandbox'] });
try {
  console.log(`Chromium ${browser.version()}`);
  if (only.includes('paint')) {
    await firstPaint(browser, server.address, real);
  }
  if (only.includes('flame')) {
    await flame(browser, server.address, real);
  }
  if (only.includes('timeline')) {
    await timeline(browser, server.address, long);
  }
} finally {
  await browser.close();
  server.stop();
}
console.log(load());
process.exitCode = failures.length === 0 ? 0 : 1;

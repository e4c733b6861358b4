// Running other programs from the scripts: output goes straight through, failures say which command it was and what to do.
import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root folder. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

const isWindows = process.platform === 'win32';

/** A failure that is told in words, without a stack. */
export class ScriptError extends Error {}

/** The command as a person would type it, for messages. */
export function shown(command, args = []) {
  const short = path.isAbsolute(command) ? path.relative(root, command) : command;
  const name = short.startsWith('..') ? command : short;
  return [name, ...args].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}

/**
 * Runs a program with this one's output and no input. Resolves to its exit code, 127 when it could not be started, 124 when it took longer than
 * `timeout` ms.
 */
export function run(command, args = [], { cwd = root, env = process.env, timeout = 0, stdin = 'ignore' } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: [stdin, 'inherit', 'inherit'], shell: isWindows && /^npm|^npx/.test(command) });
    let late = false;
    const timer = timeout > 0 ? setTimeout(() => ((late = true), child.kill('SIGTERM')), timeout) : undefined;
    child.once('error', (error) => {
      clearTimeout(timer);
      console.error(`${shown(command, args)}: ${error.message}`);
      resolve(127);
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      if (late) {
        console.error(`${shown(command, args)}: ended after ${timeout / 1000} s`);
      }
      resolve(late ? 124 : (code ?? 1));
    });
  });
}

/** Like `run`, but a failure ends the script with the command and `remedy`. */
export async function must(command, args, options = {}) {
  const code = await run(command, args, options);
  if (code !== 0) {
    throw new ScriptError(`${shown(command, args)} failed (exit code ${code}).${options.remedy ? `\n${options.remedy}` : ''}`);
  }
}

/** Output of a quick program, or null when it is missing or fails. */
export function read(command, args = []) {
  const result = spawnSync(command, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: isWindows && /^npm/.test(command),
  });
  return result.status === 0 ? result.stdout.trim() : null;
}

/** Runs `work` with its title and time around it, so that long steps are seen to go on. */
export async function step(title, work) {
  const start = performance.now();
  console.log(`\n== ${title}`);
  const result = await work();
  console.log(`== ${title}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return result;
}

/** Runs a script's main function when the file itself was started; turns failures into a message and an exit code. */
export async function main(moduleUrl, work) {
  if (!process.argv[1] || path.resolve(process.argv[1]) !== fileURLToPath(moduleUrl)) {
    return;
  }
  try {
    process.exitCode = (await work(process.argv.slice(2))) ?? 0;
  } catch (error) {
    console.error(error instanceof ScriptError ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}

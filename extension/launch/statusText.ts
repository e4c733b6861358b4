/**
 * What the status bar says while a script is profiled.
 */
import type { StatusEvent } from './statusFile';

export interface StatusText {
  readonly text: string;
  readonly tooltip: string;
}

const STOP = 'Click to stop; what was recorded is kept.';

export function statusText(event: StatusEvent | undefined, stopAsked: boolean, sessions: number): StatusText {
  const more = sessions > 1 ? ` (+${sessions - 1})` : '';
  const spin = (words: string, tooltip: string): StatusText => ({ text: `$(loading~spin) ${words}${more}`, tooltip });
  if (stopAsked && (event?.event === 'start' || event?.event === 'waiting' || event?.event === 'recording')) {
    return spin('stopping', 'Waiting for the program to save what was recorded. Click again to end it at once.');
  }
  switch (event?.event) {
    case undefined:
    case 'start':
      return spin('starting', STOP);
    case 'waiting':
      return spin(`waiting, step ${event.step + 1}/${event.of}`, `Recording starts after ${event.of} steps. ${STOP}`);
    case 'recording':
      return spin(`recording step ${event.step + 1}/${event.of}`, STOP);
    case 'saving':
      return spin('saving the run', 'The recording is being written.');
    case 'saved':
      return spin('run saved, script goes on', 'The run is written. Click to stop the script.');
    case 'error':
      return { text: `$(error) profiling failed${more}`, tooltip: `${event.message} ${event.remedy}` };
    case 'exit':
      return spin('ending', 'The script has ended.');
  }
}

/**
 * The categories that a step's time is divided into: what each is, and how it looks in charts.
 */
import type { Category, StepTime } from '../../server/views';
import type { Slice, Stack, Tone } from '../shared/chart';

interface Look {
  readonly tone: Tone;
  readonly help: string;
}

/** Work of devices has warm colours, of the host cold ones. */
const LOOKS: Readonly<Record<string, Look>> = {
  Kernel: { tone: { colour: 'orange', pattern: 'plain' }, help: 'At least one kernel runs on a device' },
  Memcpy: { tone: { colour: 'yellow', pattern: 'rising' }, help: 'Data is copied from, to or on a device, and no kernel runs' },
  Memset: { tone: { colour: 'yellow', pattern: 'dots' }, help: 'Device memory is filled, and neither kernel nor copy runs' },
  Communication: { tone: { colour: 'red', pattern: 'falling' }, help: 'Processes exchange data, and no other work of a device hides it' },
  Runtime: {
    tone: { colour: 'green', pattern: 'rising' },
    help: 'The host calls the device’s runtime (launches, waits) while no device works',
  },
  DataLoader: { tone: { colour: 'purple', pattern: 'bars' }, help: 'The host waits for the data loader while no device works' },
  'CPU Exec': { tone: { colour: 'blue', pattern: 'plain' }, help: 'The host runs operators while no device works' },
  Other: { tone: { colour: 'quiet', pattern: 'plain' }, help: 'None of these: Python, or nothing at all' },
};

const UNKNOWN: Look = { tone: { colour: 'quiet', pattern: 'dots' }, help: '' };

export function categorySlices(categories: readonly Category[]): Slice[] {
  return categories.map(({ name, us }) => ({ id: name, name, value: us, tone: lookOf(name).tone }));
}

export function categoryTone(name: string): Tone {
  return lookOf(name).tone;
}

/** For sorting: the order in which charts stack them. */
export function categoryRank(name: string): number {
  const rank = Object.keys(LOOKS).indexOf(name);
  return rank < 0 ? Infinity : rank;
}

export function categoryHelp(name: string): string {
  return lookOf(name).help;
}

export const CATEGORY_HELP: readonly { readonly name: string; readonly meaning: string }[] = Object.entries(LOOKS).map(
  ([name, { help }]) => ({ name, meaning: `${help}.` }),
);

export function stepStacks(steps: readonly StepTime[]): Stack[] {
  return steps.map(({ number, categories }) => ({
    id: String(number),
    label: String(number),
    name: `Step ${number}`,
    slices: categorySlices(categories),
  }));
}

function lookOf(name: string): Look {
  return Object.hasOwn(LOOKS, name) ? (LOOKS[name] ?? UNKNOWN) : UNKNOWN;
}

/**
 * How the times of ranks are put together and compared: no drawing.
 */
import type { CollectiveCall, CollectiveStats, RankStep, RankSummary } from '../../server/views';
import type { Slice, Tone } from '../shared/chart';

/** What a step of a rank and a rank's mean step have in common. */
export type RankTimes = Pick<
  RankSummary,
  'rank' | 'step_us' | 'computation_us' | 'overlap_us' | 'communication_us' | 'other_us' | 'transfer_us' | 'synchronising_us'
>;

type Field = Exclude<keyof RankTimes, 'rank'>;

export interface TimePart {
  readonly field: Field;
  readonly name: string;
  readonly tone: Tone;
  readonly help: string;
}

/** These four add up to the step. */
export const STEP_PARTS: readonly TimePart[] = [
  {
    field: 'computation_us',
    name: 'Computation',
    tone: { colour: 'orange', pattern: 'plain' },
    help: 'Kernels compute, and none communicates. On ranks without device work: operators',
  },
  {
    field: 'overlap_us',
    name: 'Overlap',
    tone: { colour: 'purple', pattern: 'rising' },
    help: 'Kernels compute while others communicate: communication that costs nothing',
  },
  {
    field: 'communication_us',
    name: 'Communication',
    tone: { colour: 'red', pattern: 'falling' },
    help: 'Only communication runs, and nothing hides it',
  },
  { field: 'other_us', name: 'Other', tone: { colour: 'quiet', pattern: 'plain' }, help: 'Neither: the device waits for the host' },
];

/** These two add up to all communication, hidden or not. */
export const COMMUNICATION_PARTS: readonly TimePart[] = [
  {
    field: 'transfer_us',
    name: 'Data transfer',
    tone: { colour: 'blue', pattern: 'plain' },
    help: 'Moving data: what the quickest rank of each collective took',
  },
  {
    field: 'synchronising_us',
    name: 'Synchronising',
    tone: { colour: 'yellow', pattern: 'bars' },
    help: 'Waiting in a collective for ranks that come later',
  },
];

export function slicesOf(times: RankTimes, parts: readonly TimePart[]): Slice[] {
  return parts.map(({ field, name, tone }) => ({ id: field, name, value: times[field] ?? 0, tone }));
}

/** The mean over ranks of each part; parts that a rank does not know are not known. */
export function meanSlices(ranks: readonly RankTimes[], parts: readonly TimePart[]): Slice[] {
  return parts.map(({ field, name, tone }) => ({
    id: field,
    name,
    value: ranks.length === 0 ? 0 : ranks.reduce((sum, times) => sum + (times[field] ?? 0), 0) / ranks.length,
    tone,
  }));
}

export function helpOf(id: string): string {
  return [...STEP_PARTS, ...COMMUNICATION_PARTS].find(({ field }) => field === id)?.help ?? '';
}

/** Whether it is known of each rank how long it waited for others. */
export function synchronisingKnown(ranks: readonly RankTimes[]): boolean {
  return ranks.length > 0 && ranks.every(({ transfer_us, synchronising_us }) => transfer_us !== null && synchronising_us !== null);
}

export type Metric = Field;

export const METRICS: readonly { readonly value: Metric; readonly label: string; readonly help: string }[] = [
  { value: 'step_us', label: 'Step time', help: 'How long the step took on the rank' },
  ...[...STEP_PARTS, ...COMMUNICATION_PARTS].map(({ field, name, help }) => ({ value: field, label: name, help })),
];

export interface Cell {
  readonly rank: number;
  readonly step: number;
  /** Null: not known, or the rank has no such step. */
  readonly us: number | null;
}

export interface Heat {
  readonly ranks: readonly number[];
  readonly steps: readonly number[];
  /** By rank and, in it, by step. */
  readonly cells: readonly (readonly Cell[])[];
  readonly least: number;
  readonly most: number;
}

export function heatOf(steps: readonly RankStep[], metric: Metric): Heat {
  const ranks = [...new Set(steps.map(({ rank }) => rank))].sort((a, b) => a - b);
  const numbers = [...new Set(steps.map(({ step }) => step))].sort((a, b) => a - b);
  const found = new Map(steps.map((one) => [`${one.rank} ${one.step}`, one[metric]]));
  const cells = ranks.map((rank) => numbers.map((step) => ({ rank, step, us: found.get(`${rank} ${step}`) ?? null })));
  const values = cells.flat().flatMap(({ us }) => (us === null ? [] : [us]));
  return {
    ranks,
    steps: numbers,
    cells,
    least: values.reduce((least, us) => Math.min(least, us), Infinity),
    most: values.reduce((most, us) => Math.max(most, us), 0),
  };
}

/** Where a value lies between the least (0) and the greatest (1); all alike are in the middle. */
export function heatPart(us: number, { least, most }: Pick<Heat, 'least' | 'most'>): number {
  return most > least ? (us - least) / (most - least) : 0.5;
}

/** Identity of a row of the collectives' table. */
export function collectiveKey({ rank, name, group }: Pick<CollectiveStats, 'rank' | 'name' | 'group'>): string {
  return `${rank} ${group} ${name}`;
}

/** The calls of a row, longest first. */
export function callsOf(row: CollectiveStats, calls: readonly CollectiveCall[]): CollectiveCall[] {
  return calls
    .filter(({ rank, name, group }) => rank === row.rank && name === row.name && group === row.group)
    .sort((a, b) => b.latency_us - a.latency_us);
}

/** The group as it is told apart by people: its description, its name, or how many ranks it has. */
export function groupText({ group, group_description, group_size }: CollectiveStats): string {
  const name = group_description === '' ? group : group_description;
  const size = group_size === null ? '' : `${group_size} ranks`;
  return name === '' ? size : size === '' ? name : `${name} (${size})`;
}

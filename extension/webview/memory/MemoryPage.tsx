/**
 * The Memory page: what a device had allocated over time and who owned it, who owns the peak, the blocks, and what operators allocated.
 */
import { useCallback, useMemo } from 'preact/hooks';
import { count, sizeBytes, timeUs } from '../../format';
import type { DeviceMemoryReport, MemoryEvent, MemoryReport, OperatorMemory } from '../../server/views';
import type { StepSpan } from '../../server/wire';
import type { SourceLine } from '../../views/messages';
import { fileLabels } from '../lines/rows';
import { SERIES } from '../shared/canvas/palette';
import type { Span } from '../shared/canvas/viewport';
import { Figures } from '../shared/Figures';
import type { Figure } from '../shared/Figures';
import { Icon } from '../shared/Icon';
import { Message } from '../shared/Message';
import { spanOfPart } from '../shared/part';
import type { ChosenPart } from '../shared/part';
import { shortFile } from '../shared/PlaceLink';
import { Segments } from '../shared/Segments';
import { usePagePlace, useSession, useTarget } from '../shared/session';
import { usePageState } from '../shared/state';
import type { Change } from '../shared/state';
import { DataTable, rowKeys } from '../shared/table';
import type { TableState } from '../shared/table';
import { ViewOf } from '../shared/view';
import { blockColumns, OPERATOR_COLUMNS, peakColumns } from './columns';
import type { PeakRow } from './columns';
import { Curve } from './Curve';
import { BEFORE, layersOf, REST, spanOf } from './layers';
import './memory.css';
import { filesOf, KINDS, ownerKey } from './owners';
import type { Kind } from './owners';
import { DEFAULT_CHOICES, restoreChoices } from './state';
import type { Choices, Panel } from './state';

export function MemoryPage() {
  const [choices, change] = usePageState('memory', DEFAULT_CHOICES, restoreChoices);
  useTarget(({ line, operator }) => {
    if (line !== undefined) {
      change(({ peak }) => ({ kind: 'lines', panel: 'peak', peak: { ...peak, filter: '', selected: ownerKey({ name: '', ...line }) } }));
    } else if (operator !== undefined) {
      change(({ operators }) => ({ panel: 'operators', operators: { ...operators, filter: '', selected: operator } }));
    }
  });
  return <ViewOf name="memory">{(content) => <Devices content={content} choices={choices} change={change} />}</ViewOf>;
}

interface Props {
  readonly choices: Choices;
  readonly change: Change<Choices>;
}

function Devices({ content: { devices }, ...props }: Props & { readonly content: MemoryReport }) {
  const { part, setPart } = useSession();
  const device = devices.find((one) => one.device === props.choices.device) ?? mainDevice(devices);
  if (device === undefined) {
    return <NotRecorded />;
  }
  if (device.curve.at_us.length === 0 && devices.every(({ curve }) => curve.at_us.length === 0)) {
    return (
      <Message icon="database" title="No memory here">
        <p>Nothing was allocated or released in the selected part of the recording, nor before it.</p>
        {part.step === null && part.range_us === null ? null : (
          <button type="button" class="button" onClick={() => setPart({ step: null, range_us: null })}>
            Whole recording
          </button>
        )}
      </Message>
    );
  }
  return <Report device={device} devices={devices} {...props} />;
}

function NotRecorded() {
  return (
    <Message icon="database" title="Recorded without memory">
      <p>
        This recording has no allocations. Profile with Kinetoscope, in VS Code or by <code>kinetoscope profile</code> without{' '}
        <code>--no-memory</code>; or give torch.profiler’s <code>profile()</code> the argument <code>profile_memory=True</code>, and{' '}
        <code>with_stack=True</code> to see lines too.
      </p>
    </Message>
  );
}

/** The one of the reader's choice is shown; else that with the highest peak, which is rarely the CPU. */
export function mainDevice(devices: readonly DeviceMemoryReport[]): DeviceMemoryReport | undefined {
  return [...devices].sort((a, b) => b.curve.peak_allocated_bytes - a.curve.peak_allocated_bytes)[0];
}

/** What tells most of what is known. */
export function knownKind({ peak }: DeviceMemoryReport): Kind {
  return peak?.lines.some(({ file }) => file !== '') === true ? 'lines' : 'categories';
}

interface ReportProps extends Props {
  readonly device: DeviceMemoryReport;
  readonly devices: readonly DeviceMemoryReport[];
}

function Report({ device, devices, choices, change }: ReportProps) {
  const { part, setPart, steps } = useSession();
  const { stack, peak } = device;
  const labels = useMemo(
    () => fileLabels([...filesOf(peak, stack?.lines ?? []), ...device.events.map(({ file }) => file).filter((file) => file !== '')]),
    [device],
  );
  const { before, reserved } = choices;
  const kind = choices.kind ?? knownKind(device);
  const layers = useMemo(() => (stack === null ? [] : layersOf(stack, kind, before, labels, SERIES)), [stack, kind, before, labels]);
  const chosen = chosenSpan(part, steps, device);
  const span = spanOf(device.curve, chosen);
  const hasBefore = stack?.before_bytes.some((bytes) => bytes > 0) ?? false;
  const pick = (key: string) => {
    if (key !== BEFORE && key !== REST) {
      change((now) => ({ panel: 'peak', peak: { ...now.peak, filter: '', selected: key } }));
    }
  };
  return (
    <div class="memory-page">
      <header class="top-line">
        {devices.length > 1 ? (
          <Segments
            label="Device"
            name="memory-device"
            chosen={device.device}
            choices={devices.map((one) => ({
              value: one.device,
              label: one.device,
              help: `Peak ${sizeBytes(one.curve.peak_allocated_bytes)}`,
            }))}
            onChoose={(value) => change({ device: value })}
          />
        ) : (
          <strong>{device.device}</strong>
        )}
        <Figures label={`Memory of ${device.device}`} figures={figuresOf(device)} />
      </header>
      <section class="over-time" aria-labelledby="memory-over-time">
        <div class="section-head">
          <h2 id="memory-over-time">Over time</h2>
          {stack === null ? null : (
            <Segments
              label="Owners by"
              name="memory-kind"
              chosen={kind}
              choices={KINDS}
              onChoose={(value) => change((now) => ({ kind: value, peak: { ...now.peak, selected: null } }))}
            />
          )}
          <div class="switches">
            {hasBefore ? (
              <label title="Without it, only what was allocated in the recording is drawn, larger">
                <input type="checkbox" checked={before} onChange={(event) => change({ before: event.currentTarget.checked })} /> From before
              </label>
            ) : null}
            {device.curve.reserved_bytes.length > 0 ? (
              <label title="What PyTorch’s allocator took from the device">
                <input
                  type="checkbox"
                  checked={reserved && (before || !hasBefore)}
                  disabled={hasBefore && !before}
                  onChange={(event) => change({ reserved: event.currentTarget.checked })}
                />{' '}
                Reserved
              </label>
            ) : null}
          </div>
          {chosen === null ? (
            <span class="quiet hint">Drag over the chart to look at a range</span>
          ) : (
            <button type="button" class="button secondary whole" onClick={() => setPart({ step: null, range_us: null })}>
              <Icon name="arrow-left" /> Whole recording
            </button>
          )}
        </div>
        {device.curve.at_us.length === 0 ? (
          <p class="quiet">Nothing was allocated or released on this device in the selected part, nor before it.</p>
        ) : null}
        <Curve
          device={device}
          layers={layers}
          span={span}
          shown={{ before: before || !hasBefore, reserved }}
          label={`Memory of ${device.device} over time`}
          onRange={(range) => setPart({ range_us: [range[0], range[1]], step: null })}
          onWhole={chosen === null ? null : () => setPart({ step: null, range_us: null })}
          onPick={pick}
        />
        {notesOf(device).map((note) => (
          <p key={note} class="quiet note">
            <Icon name="info" /> {note}
          </p>
        ))}
      </section>
      <section class="panel-of" aria-label="Details">
        <Panels device={device} kind={kind} labels={labels} choices={choices} change={change} />
      </section>
    </div>
  );
}

interface PanelsProps extends Props {
  readonly device: DeviceMemoryReport;
  readonly kind: Kind;
  readonly labels: ReadonlyMap<string, string>;
}

function Panels({ device, kind, labels, choices, change }: PanelsProps) {
  const { open, go, has } = useSession();
  const { target } = usePagePlace();
  const { peak, events, operators } = device;
  const panel = peak === null && choices.panel === 'peak' ? 'operators' : choices.panel;
  const onTable = useCallback(
    (of: Panel) => (patch: Partial<TableState>) => change((now) => ({ [of]: { ...now[of], ...patch } })),
    [change],
  );
  const rows = useMemo(() => peakRows(device, kind), [device, kind]);
  const whole = rows.reduce((sum, row) => sum + row.bytes, 0);
  const ofPeak = useMemo(() => peakColumns(kind, whole, labels), [kind, whole, labels]);
  const ofBlocks = useMemo(() => blockColumns(labels), [labels]);
  const blockKey = useMemo(() => {
    const keys = blockKeys(device.device, events);
    const of = new Map(events.map((event, index) => [event, keys[index] ?? '']));
    return (event: MemoryEvent) => of.get(event) ?? '';
  }, [device.device, events]);
  // Only what was asked for is missed: a row that was selected in another run, where it is there, is not.
  const asked = target?.line === undefined ? null : ownerKey({ name: '', ...target.line });
  const missing = kind === 'lines' && rows.length > 0 && asked === choices.peak.selected ? missingLine(asked, rows, labels) : null;
  const openPlace = ({ file, line }: SourceLine) => {
    if (file !== '') {
      open({ file, line });
    }
  };
  const choose = (
    <Segments
      label="Show"
      name="memory-panel"
      chosen={panel}
      choices={[
        {
          value: 'peak',
          label: 'Peak',
          help: peak === null ? NO_ADDRESSES : 'Who owns what is alive at the peak',
          disabled: peak === null,
        },
        { value: 'blocks', label: 'Blocks', help: 'Each block of memory: when it was allocated and released, by what' },
        { value: 'operators', label: 'Operators', help: 'What operators of each name allocated and released' },
      ]}
      onChoose={(value) => change({ panel: value })}
    />
  );
  switch (panel) {
    case 'peak':
      return (
        <DataTable
          label={`Who owns the peak of ${device.device}`}
          noun={['owner', 'owners']}
          rows={rows}
          columns={ofPeak}
          rowKey={peakKey}
          state={choices.peak}
          onState={onTable('peak')}
          searchText={peakText}
          onOpen={(row) => {
            if (row.file !== '') {
              openPlace(row);
            } else if (kind === 'operators' && row.name !== '' && !row.before && has('operators')) {
              go('operators', { operator: row.name });
            } else if (kind === 'modules' && row.name !== '' && !row.before && has('modules')) {
              go('modules', { module: row.name });
            }
          }}
          tools={
            <>
              {choose}
              {peak === null ? null : <span class="quiet">at {timeUs(peak.at_us)}</span>}
              {missing === null ? null : (
                <span class="quiet missing" role="status">
                  {missing} has nothing at the peak.{' '}
                  <button
                    type="button"
                    class="link"
                    onClick={() => change((now) => ({ panel: 'blocks', blocks: { ...now.blocks, filter: missing, selected: null } }))}
                  >
                    Its blocks
                  </button>
                </span>
              )}
            </>
          }
        />
      );
    case 'blocks':
      return (
        <DataTable
          label={`Blocks of ${device.device}`}
          noun={['block', 'blocks']}
          rows={events}
          columns={ofBlocks}
          rowKey={blockKey}
          state={choices.blocks}
          onState={onTable('blocks')}
          onOpen={openPlace}
          tools={
            <>
              {choose}
              {device.blocks > events.length ? (
                <span class="quiet" title="Only the largest are listed">
                  the largest; {count(device.blocks - events.length)} more
                </span>
              ) : null}
            </>
          }
        />
      );
    case 'operators':
      return (
        <DataTable
          label={`Memory of operators on ${device.device}`}
          noun={['operator', 'operators']}
          rows={operators}
          columns={OPERATOR_COLUMNS}
          rowKey={nameOf}
          state={choices.operators}
          onState={onTable('operators')}
          onOpen={(row) => {
            if (has('operators')) {
              go('operators', { operator: row.name });
            }
          }}
          tools={choose}
        />
      );
  }
}

const NO_ADDRESSES =
  'The trace does not say where blocks lie (torch 1.8 to 1.10 did not), so it can’t be told which release is of which allocation: who owns the memory, and how long blocks lived, is not known.';

function notesOf(device: DeviceMemoryReport): string[] {
  const { curve, peak, stack } = device;
  return [
    curve.from_start ? 'The trace has no totals: allocated counts from 0 at the start of the recording.' : '',
    stack === null && curve.events > 0 ? NO_ADDRESSES : '',
    peak !== null && peak.lines.length > 0 && peak.lines.every(({ file }) => file === '')
      ? 'No line of your code is known of what is alive at the peak: the recording has neither a line log nor call stacks of it.'
      : '',
  ].filter((note) => note !== '');
}

/** Owners of the peak, and what was allocated before the recording, which together are all that was allocated then. */
export function peakRows({ peak }: DeviceMemoryReport, kind: Kind): PeakRow[] {
  if (peak === null) {
    return [];
  }
  const rows = peak[kind].map((owner) => ({ ...owner, before: false }));
  const bytes = peak.before_bytes ?? 0;
  return bytes > 0 ? [...rows, { name: '', bytes, file: '', line: 0, precision: null, before: true }] : rows;
}

/** The line that was asked for, where it owns nothing of the peak: named as its blocks are. */
export function missingLine(selected: string | null, rows: readonly PeakRow[], labels: ReadonlyMap<string, string>): string | null {
  const [, file, line] = /^(.+):(\d+)$/.exec(selected ?? '') ?? [];
  if (file === undefined || line === undefined || rows.some((row) => peakKey(row) === selected)) {
    return null;
  }
  return `${labels.get(file) ?? shortFile(file)}:${line}`;
}

function nameOf({ name }: OperatorMemory): string {
  return name;
}

/** A block of a device is known by when it was allocated and released, and by what. */
export function blockKeys(device: string, events: readonly MemoryEvent[]): string[] {
  return rowKeys(events, (one) => [device, one.allocated_us, one.released_us, one.bytes, one.operator, one.backward, one.file, one.line]);
}

function peakText({ file, name }: PeakRow): string {
  return `${file} ${name}`;
}

function peakKey(row: PeakRow): string {
  return row.before ? BEFORE : ownerKey(row);
}

export function figuresOf({ curve, peak, blocks }: DeviceMemoryReport): Figure[] {
  const figures: (Figure | null)[] = [
    {
      name: 'Peak allocated',
      value: sizeBytes(curve.peak_allocated_bytes),
      help: `The most that tensors held at once, at ${timeUs(curve.peak_allocated_us)}`,
    },
    curve.peak_reserved_bytes === null
      ? null
      : {
          name: 'Peak reserved',
          value: sizeBytes(curve.peak_reserved_bytes),
          help: 'The most that PyTorch’s allocator took from the device',
        },
    peak === null
      ? null
      : {
          name: 'Recorded of it',
          value: sizeBytes(peak.recorded_bytes),
          help: 'Allocated in the recording and alive when most of that was: what owners are known of',
        },
    { name: 'Blocks', value: count(blocks), help: 'Blocks of memory that were allocated or released' },
  ];
  return figures.filter((figure): figure is Figure => figure !== null);
}

/** What of the time is looked at; null for all of it. Work of a step may end after the step. */
export function chosenSpan(part: ChosenPart, steps: readonly StepSpan[], { curve }: DeviceMemoryReport): Span | null {
  const span = spanOfPart(part, steps);
  return span === null || part.step === null
    ? span
    : { start: span.start, end: Math.max(span.end, curve.at_us[curve.at_us.length - 1] ?? 0) };
}

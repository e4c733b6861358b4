/**
 * Why devices were idle: each device as a bar with its numbers, and the lines that left them idle.
 */
import { useMemo, useState } from 'preact/hooks';
import { count, share, timeUs } from '../../format';
import type { DeviceIdle, Idle } from '../../server/views';
import type { SourceLine } from '../../views/messages';
import { fileLabels, placeFilter, placeLabel, placeText } from '../lines/rows';
import { Legend, StackedBar } from '../shared/chart';
import { useSession } from '../shared/session';
import { DataTable } from '../shared/table';
import type { TableState } from '../shared/table';
import { causeHelp, slicesOf } from './causes';
import { lineColumns } from './columns';

interface Props {
  readonly content: Idle;
  readonly table: TableState;
  readonly onTable: (patch: Partial<TableState>) => void;
  /** Shows the waits of a line: those that the filter leaves. */
  readonly onWaits: (filter: string) => void;
}

export function lineKey({ frame }: { readonly frame: SourceLine | null }): string {
  return frame === null ? '' : `${frame.file}:${frame.line}`;
}

export function IdleTopic({ content: { devices, lines }, table, onTable, onWaits }: Props) {
  const { open } = useSession();
  const idle_us = devices.reduce((sum, device) => sum + device.idle_us, 0);
  const labels = useMemo(() => fileLabels(lines.flatMap(({ frame }) => frame?.file ?? [])), [lines]);
  const columns = useMemo(() => lineColumns(idle_us, labels), [idle_us, labels]);
  const missing = useMemo(() => missingLine(table.selected, lines), [table.selected, lines]);
  const note =
    missing === null ? null : (
      <span class="quiet" role="status">
        {placeLabel(missing, labels)} left no device idle.{' '}
        <button type="button" class="link" onClick={() => onWaits(placeFilter(missing, labels))}>
          Its waits
        </button>
      </span>
    );
  const ofLines = lines.reduce((sum, line) => sum + line.idle_us, 0);
  return (
    <>
      <div class="idle-devices">
        {devices.map((device) => (
          <Device key={device.device} device={device} />
        ))}
      </div>
      {lines.length === 0 ? (
        <p class="quiet none">No idle time is the host’s: no line caused any. {note}</p>
      ) : (
        <>
          <h2>
            Lines that left {devices.length === 1 ? 'it' : 'them'} idle
            <span class="quiet">
              {' '}
              {timeUs(ofLines)}, the host’s part: {idle_us > 0 ? share(ofLines / idle_us) : ''} of all idle time
            </span>
          </h2>
          <DataTable
            label="Lines by idle time of devices"
            noun={['line', 'lines']}
            rows={lines}
            columns={columns}
            rowKey={lineKey}
            state={table}
            onState={onTable}
            tools={note}
            searchText={({ frame }) => (frame === null ? '' : placeText(frame))}
            onOpen={({ frame }) => {
              if (frame !== null) {
                open(frame);
              }
            }}
          />
        </>
      )}
    </>
  );
}

/** The line that is selected, as by a command of the editor, and left no device idle. */
export function missingLine(selected: string | null, lines: Idle['lines']): SourceLine | null {
  const [, file, line] = /^(.+):(\d+)$/.exec(selected ?? '') ?? [];
  return file === undefined || line === undefined || lines.some((row) => lineKey(row) === selected) ? null : { file, line: Number(line) };
}

function Device({ device }: { readonly device: DeviceIdle }) {
  const [lit, setLit] = useState<string | null>(null);
  const { total_us: total, idle_us: idle } = device;
  const slices = slicesOf(device);
  const part = (us: number, whole: number) => (whole > 0 ? share(us / whole) : '');
  return (
    <section class="idle-device" aria-label={device.device}>
      <h2>
        {device.device}{' '}
        <span class="quiet">
          idle {part(idle, total)} of {timeUs(total)}: {count(device.gaps)} {device.gaps === 1 ? 'gap' : 'gaps'}, the longest{' '}
          {timeUs(device.longest_gap_us)}
        </span>
      </h2>
      <StackedBar
        label={`${device.device}: ${slices.map(({ name, value }) => `${name} ${part(value, total)}`).join(', ')}`}
        slices={slices.map((slice) => ({ ...slice, name: `${slice.name} ${timeUs(slice.value)}` }))}
        whole={total}
        lit={lit}
        onLit={setLit}
      />
      <Legend
        label={`Time of ${device.device}`}
        of="Device is"
        slices={slices}
        columns={[
          { title: 'Time', text: ({ value }) => timeUs(value) },
          { title: 'Of its time', text: ({ value }) => part(value, total) },
          { title: 'Of idle', text: ({ id, value }) => (id === 'busy' ? '' : part(value, idle)) },
        ]}
        help={({ id }) => causeHelp(id)}
        lit={lit}
        onLit={setLit}
      />
    </section>
  );
}

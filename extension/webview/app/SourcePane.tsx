/**
 * A file as it was profiled, with what each line cost: the source where there is no editor.
 */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { timeUs } from '../../format';
import type { LineCost, SourceText } from '../../server/wire';
import type { SourceLine } from '../../views/messages';
import { focusAgain, isFocusLost } from '../shared/focus';
import { Icon } from '../shared/Icon';
import { Message } from '../shared/Message';
import { shortFile } from '../shared/PlaceLink';
import { useSession } from '../shared/session';
import { useSize } from '../shared/useSize';
import { totalPx, visibleRows } from '../shared/virtual';

interface Props {
  readonly place: SourceLine;
  readonly onPlace: (place: SourceLine) => void;
  readonly onClose: () => void;
}

const LINE_PX = 20;

export function SourcePane({ place, onPlace, onClose }: Props) {
  const { transport, run, selected, revision } = useSession();
  const [source, setSource] = useState<SourceText | string | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    setSource(null);
    transport
      .ask('kinetoscope/source/text', { run, file: place.file, line: place.line }, controller.signal)
      .then(setSource, (error: unknown) => {
        if (!controller.signal.aborted) {
          setSource(error instanceof Error ? error.message : String(error));
        }
      });
    return () => controller.abort();
  }, [transport, run, selected, revision, place.file]);
  const pane = useFocusedWhenOpened(place);
  const problem = typeof source === 'string' ? source : (source?.reason ?? null);
  return (
    <aside
      ref={pane}
      class="source-pane"
      aria-label="Source"
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          onClose();
        }
      }}
    >
      <header>
        <h2 title={place.file}>
          {shortFile(place.file, 2)}:{place.line}
        </h2>
        <button type="button" class="tool" aria-label="Close the source" title="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {source === null ? (
        <Message icon="loading" spin title="Waiting for the source…" />
      ) : typeof source === 'string' || source.text === null ? (
        <Message icon="file" title="The source is not at hand">
          <p>{problem ?? 'The text that was profiled is not known.'}</p>
        </Message>
      ) : (
        <Lines text={source.text} rows={source.rows} line={place.line} onLine={(line) => onPlace({ file: place.file, line })} />
      )}
    </aside>
  );
}

/** Has the focus whenever a place is opened from elsewhere; when the pane closes it goes back there. */
function useFocusedWhenOpened(place: SourceLine): RefObject<HTMLElement | null> {
  const pane = useRef<HTMLElement>(null);
  const opener = useRef<Element | null>(null);
  useEffect(() => {
    if (pane.current?.contains(document.activeElement) === false) {
      opener.current = document.activeElement;
      pane.current.focus();
    }
  }, [place]);
  useEffect(
    () => () => {
      if (isFocusLost()) {
        focusAgain(opener.current);
      }
    },
    [],
  );
  return pane;
}

interface LinesProps {
  readonly text: string;
  readonly rows: readonly LineCost[];
  readonly line: number;
  readonly onLine: (line: number) => void;
}

function Lines({ text, rows, line, onLine }: LinesProps) {
  const box = useRef<HTMLDivElement>(null);
  const { heightPx } = useSize(box);
  const [scrollPx, setScrollPx] = useState(0);
  const lines = useMemo(() => text.split(/\r?\n/), [text]);
  const costs = useMemo(() => new Map(rows.map((row) => [row.line, row])), [rows]);
  // Of the device where the file used one, else of the host: the two are not added up.
  const heat = useMemo(() => (rows.some((row) => deviceUs(row) > 0) ? deviceUs : (row: LineCost) => row.cpu_self_us), [rows]);
  const most = useMemo(() => rows.reduce((max, row) => Math.max(max, heat(row)), 0), [rows, heat]);
  const layout = { count: lines.length, rowPx: LINE_PX, open: -1, openPx: 0 };
  const seen = visibleRows(layout, scrollPx, heightPx);
  useLayoutEffect(() => {
    const body = box.current;
    if (body && heightPx > 0) {
      body.scrollTop = (line - 1) * LINE_PX - heightPx / 2;
      setScrollPx(body.scrollTop);
    }
  }, [line, lines, heightPx > 0]);
  return (
    <div
      ref={box}
      class="source-lines"
      role="list"
      tabIndex={0}
      aria-label="Lines of the file"
      onScroll={(event) => setScrollPx(event.currentTarget.scrollTop)}
    >
      <div class="space" style={{ height: `${totalPx(layout)}px` }}>
        {lines.slice(seen.first, seen.end).map((words, i) => {
          const number = seen.first + i + 1;
          const cost = costs.get(number);
          return (
            <div
              key={number}
              class={`source-line${number === line ? ' current' : ''}`}
              role="listitem"
              aria-current={number === line ? 'location' : undefined}
              style={{ top: `${(number - 1) * LINE_PX}px` }}
              onClick={() => onLine(number)}
            >
              <span class="line-number">{number}</span>
              <code>{words}</code>
              {cost === undefined ? null : (
                <>
                  <span class="heat" aria-hidden="true">
                    <span style={{ width: `${most > 0 ? (100 * heat(cost)) / most : 0}%` }} />
                  </span>
                  <span class="amount">{costText(cost)}</span>
                </>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function deviceUs(row: LineCost): number {
  return row.gpu_us + row.gpu_backward_us;
}

function costText(row: LineCost): string {
  const gpu = deviceUs(row);
  return [gpu > 0 ? `GPU ${timeUs(gpu)}` : '', row.cpu_self_us > 0 ? `CPU ${timeUs(row.cpu_self_us)}` : '']
    .filter((part) => part !== '')
    .join(' · ');
}

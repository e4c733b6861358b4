/**
 * What is on the screen as a table for who can't see it: the longest events of the tracks that are shown.
 */
import { timeUs } from '../../format';
import type { Track } from '../../server/wire';
import type { Span } from '../shared/canvas/viewport';
import { levelOf, slotsOf } from './grid';
import { piecesIn } from './rowRange';
import type { Tiles } from './tiles';
import { hitOf } from './walk';
import type { Hit } from './walk';

const MOST = 100;

/** The longest events in a span, in time order. */
export function longestSeen(tiles: Tiles, tracks: readonly Track[], span: Span, widthPx: number): readonly Hit[] {
  const hits = new Map<number, Hit>();
  const level = levelOf(tiles.whole, span, widthPx);
  for (const { id, rows } of tracks) {
    for (const slot of slotsOf(tiles.whole, span, level)) {
      const pieces = tiles.best(id, slot)?.data.pieces;
      for (let row = 0; pieces && row < rows; row++) {
        const [first, end] = piecesIn(pieces, row, span, true);
        for (let at = first; at < end; at++) {
          // One that is narrower than two pixels is not to be told from its neighbours.
          if (((pieces.end[at] ?? 0) - (pieces.start[at] ?? 0)) * widthPx >= 2 * (span.end - span.start)) {
            const hit = hitOf(id, row, pieces, at);
            hits.set(hit.event, hit);
          }
        }
      }
    }
  }
  return [...hits.values()]
    .sort((a, b) => b.dur_us - a.dur_us)
    .slice(0, MOST)
    .sort((a, b) => a.start_us - b.start_us);
}

interface Props {
  readonly hits: readonly Hit[];
  readonly tracks: readonly Track[];
  readonly span: Span;
  readonly onSelect: (hit: Hit) => void;
}

export function VisibleTable({ hits, tracks, span, onSelect }: Props) {
  const titles = new Map(tracks.map(({ id, title, detail }) => [id, detail === '' ? title : `${title}, ${detail}`]));
  return (
    <div class="hidden">
      <table>
        <caption>
          The {hits.length} longest events from {timeUs(span.start)} to {timeUs(span.end)}
        </caption>
        <thead>
          <tr>
            <th scope="col">Event</th>
            <th scope="col">Track</th>
            <th scope="col">Level</th>
            <th scope="col">Start</th>
            <th scope="col">Duration</th>
          </tr>
        </thead>
        <tbody>
          {hits.map((hit) => (
            <tr key={hit.event}>
              <th scope="row">
                <button type="button" tabIndex={-1} onClick={() => onSelect(hit)}>
                  {hit.name}
                  {hit.count > 1 ? ` and ${hit.count - 1} more` : ''}
                </button>
              </th>
              <td>{titles.get(hit.track)}</td>
              <td>{hit.row}</td>
              <td>{timeUs(hit.start_us)}</td>
              <td>{timeUs(hit.dur_us)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/**
 * The tiles of the run and rank that are looked at.
 */
import { useEffect, useMemo } from 'preact/hooks';
import type { Tracks } from '../../server/wire';
import { useSession } from '../shared/session';
import { spanOf, TILE_PX } from './grid';
import { dataOf } from './pieces';
import { Tiles } from './tiles';

/** `changed` is called when something new can be drawn. */
export function useTiles(tracks: Tracks, changed: () => void): Tiles {
  const { transport, run, part, revision } = useSession();
  const { rank } = part;
  const tiles = useMemo(() => {
    const whole = { start: tracks.start_us, end: Math.max(tracks.end_us, tracks.start_us + 1) };
    return new Tiles(
      whole,
      async (slot, ids, signal) => {
        const { start, end } = spanOf(whole, slot);
        const question = { tracks: ids, start_us: start, end_us: end, width_px: TILE_PX };
        return dataOf(
          await transport.ask('kinetoscope/timeline/tile', { ...question, run, part: { rank, step: null, range_us: null } }, signal),
        );
      },
      changed,
    );
  }, [transport, run, rank, revision, tracks]);
  useEffect(() => () => tiles.dispose(), [tiles]);
  return tiles;
}

/**
 * A place in the source that can be jumped to: every frame, line, operator and allocation that has one.
 */
import type { ComponentChildren } from 'preact';
import type { SourceLine } from '../../views/messages';
import { useSession } from './session';

interface Props {
  readonly place: SourceLine;
  /** What is to be read; the file's name and the line where nothing is given. */
  readonly children?: ComponentChildren;
  /** Inside a table: the table's keys open it, so it is no tab stop of its own. */
  readonly tabIndex?: number;
}

export function PlaceLink({ place, children, tabIndex = 0 }: Props) {
  const { open } = useSession();
  return (
    <button
      type="button"
      class="link place-link"
      title={`Open ${place.file}:${place.line}`}
      tabIndex={tabIndex}
      onClick={(event) => {
        event.stopPropagation();
        open({ file: place.file, line: place.line });
      }}
    >
      {children ?? `${shortFile(place.file)}:${place.line}`}
    </button>
  );
}

/** The last `parts` parts of a path: `net.py` or `models/net.py` of `/home/me/models/net.py`. */
export function shortFile(file: string, parts = 1): string {
  return file.split(/[\\/]/).slice(-parts).join('/');
}

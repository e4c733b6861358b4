/**
 * The names of the tracks beside the drawing, with what can be done with each. They move with it without being drawn anew.
 */
import type { RefObject } from 'preact';
import { memo } from 'preact/compat';
import { Icon } from '../shared/Icon';
import type { Band } from './bands';

interface Props {
  readonly bands: readonly Band[];
  readonly pinned: boolean;
  /** What is moved. */
  readonly inside: RefObject<HTMLDivElement | null> | null;
  readonly onCollapse: (id: string) => void;
  readonly onPin: (id: string) => void;
  readonly onHide: (id: string) => void;
}

export const TrackLabels = memo(function TrackLabels({ bands, pinned, inside, onCollapse, onPin, onHide }: Props) {
  return (
    <div class="track-labels" ref={inside} role="list" aria-label={pinned ? 'Pinned tracks' : 'Tracks'}>
      {bands.map(({ track, depth, isGroup, collapsed, rows, topPx, heightPx }) => {
        const title = track.title;
        const folds = isGroup || rows > 1;
        return (
          <div
            key={track.id}
            role="listitem"
            class={`track-label${isGroup ? ' group' : ''}`}
            // Set by script, not as an attribute: the pages allow no inline styles.
            ref={(element) => {
              if (element) {
                element.style.top = `${topPx}px`;
                element.style.height = `${heightPx}px`;
                element.style.paddingLeft = `${4 + depth * 10}px`;
              }
            }}
            title={[title, track.detail, track.help].filter(Boolean).join('\n')}
          >
            {folds ? (
              <button
                type="button"
                class="fold"
                aria-expanded={!collapsed}
                aria-label={`${collapsed ? 'Expand' : 'Collapse'} ${title}`}
                onClick={() => onCollapse(track.id)}
              >
                <Icon name={collapsed ? 'chevron-right' : 'chevron-down'} />
              </button>
            ) : (
              <span class="fold" />
            )}
            <span class="name">
              {title}
              {isGroup && track.detail !== '' ? <span class="quiet"> {track.detail}</span> : null}
            </span>
            <span class="track-actions">
              {isGroup ? null : (
                <button
                  type="button"
                  aria-pressed={pinned}
                  aria-label={`${pinned ? 'Unpin' : 'Pin'} ${title}`}
                  title={pinned ? 'Unpin' : 'Pin: keep it above the others'}
                  onClick={() => onPin(track.id)}
                >
                  <Icon name={pinned ? 'pinned' : 'pin'} />
                </button>
              )}
              <button type="button" aria-label={`Hide ${title}`} title="Hide" onClick={() => onHide(track.id)}>
                <Icon name="eye-closed" />
              </button>
            </span>
          </div>
        );
      })}
    </div>
  );
});

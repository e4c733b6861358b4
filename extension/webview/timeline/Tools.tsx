/**
 * The timeline's toolbar: finding, zooming, what is hidden, what colours and keys mean.
 */
import type { ComponentChildren } from 'preact';
import { Icon } from '../shared/Icon';
import { Popover } from '../shared/Popover';
import { GROUPS } from './colours';

interface Props {
  /** How many tracks are hidden. */
  readonly hidden: number;
  readonly onUnhide: () => void;
  readonly onZoom: (factor: number) => void;
  readonly onAll: () => void;
  readonly onHelp: () => void;
  /** The search. */
  readonly children: ComponentChildren;
}

export function Tools({ hidden, onUnhide, onZoom, onAll, onHelp, children }: Props) {
  return (
    <div class="timeline-tools" role="toolbar" aria-label="Timeline">
      {children}
      <div class="timeline-buttons">
        <button type="button" class="tool" title="Zoom in (W)" aria-label="Zoom in" onClick={() => onZoom(2)}>
          <Icon name="zoom-in" />
        </button>
        <button type="button" class="tool" title="Zoom out (S)" aria-label="Zoom out" onClick={() => onZoom(0.5)}>
          <Icon name="zoom-out" />
        </button>
        <button type="button" class="tool" title="Show everything (0)" aria-label="Show everything" onClick={onAll}>
          <Icon name="screen-full" />
        </button>
        {hidden > 0 ? (
          <button type="button" class="tool" onClick={onUnhide}>
            <Icon name="eye" /> Show {hidden} hidden
          </button>
        ) : null}
        <Popover label="Colours" button={<Icon name="symbol-color" />} align="end">
          {() => (
            <ul class="legend-list">
              {GROUPS.map(({ title, series }) => (
                <li key={title}>
                  <span class={`swatch series-${series + 1}`} /> {title}
                </li>
              ))}
            </ul>
          )}
        </Popover>
        <button type="button" class="tool" title="Keys and gestures (?)" aria-label="Keys and gestures" onClick={onHelp}>
          <Icon name="keyboard" />
        </button>
      </div>
    </div>
  );
}

/**
 * A button that opens a small panel below it. Escape and a click elsewhere close it; the focus then goes back to the button.
 */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Props {
  readonly label: string;
  readonly title?: string;
  readonly class?: string;
  /** What the button shows. */
  readonly button: ComponentChildren;
  readonly align?: 'start' | 'end';
  /** The panel, rendered while it is open. */
  readonly children: (close: () => void) => ComponentChildren;
}

export function Popover({ label, title = label, class: name = 'tool', button, align = 'start', children }: Props) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const id = useId();
  const close = () => {
    setOpen(false);
    trigger.current?.focus();
  };
  useLayoutEffect(() => {
    if (panel.current) {
      keepInWindow(panel.current);
    }
  }, [open]);
  // Before the next key: what is typed at once after it was opened is for it.
  useLayoutEffect(() => {
    if (!open) {
      return undefined;
    }
    const inside = panel.current;
    (inside?.querySelector<HTMLElement>('[data-autofocus]') ?? inside)?.focus();
    const onPointer = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) {
        setOpen(false);
      }
    };
    document.addEventListener('pointerdown', onPointer);
    return () => document.removeEventListener('pointerdown', onPointer);
  }, [open]);
  return (
    <div
      ref={box}
      class="popover"
      onKeyDown={(event) => {
        if (open && event.key === 'Escape') {
          event.preventDefault();
          event.stopPropagation();
          close();
        }
      }}
      onFocusOut={(event) => {
        // Tab leads out of it.
        if (open && event.relatedTarget !== null && !box.current?.contains(event.relatedTarget as Node)) {
          setOpen(false);
        }
      }}
    >
      <button
        ref={trigger}
        type="button"
        class={name}
        aria-label={label}
        title={title}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        {button}
      </button>
      {open ? (
        <div ref={panel} id={id} class={`panel ${align}`} role="dialog" aria-label={label} tabIndex={-1}>
          {children(close)}
        </div>
      ) : null}
    </div>
  );
}

const MARGIN_PX = 8;

/** Moves a panel that would stick out of the window, and makes it no taller than there is room. */
function keepInWindow(panel: HTMLElement): void {
  const { left, right, top } = panel.getBoundingClientRect();
  const by = right > window.innerWidth - MARGIN_PX ? window.innerWidth - MARGIN_PX - right : 0;
  // What is too wide for both sides begins at the left one.
  panel.style.translate = `${left + by < MARGIN_PX ? MARGIN_PX - left : by}px 0`;
  panel.style.maxHeight = `${window.innerHeight - MARGIN_PX - top}px`;
}

/**
 * What keys and gestures do on a page with a canvas: a dialog that `?` opens and any of Escape, Close and a click beside it closes.
 */
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface KeyHelp {
  /** Keys or gestures, e.g. `W`, `Ctrl + wheel`. */
  readonly keys: readonly string[];
  readonly does: string;
}

interface Props {
  readonly title: string;
  readonly rows: readonly KeyHelp[];
  readonly onClose: () => void;
}

export function KeysHelp({ title, rows, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement) {
        opener.focus();
      }
    };
  }, []);
  return (
    <dialog
      class="keys-help"
      ref={dialog}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) {
          onClose();
        }
      }}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === '?') {
          onClose();
        }
      }}
    >
      <div class="inside">
        <h2>{title}</h2>
        <table>
          <tbody>
            {rows.map(({ keys, does }) => (
              <tr key={does}>
                <th scope="row">
                  {keys.map((key, at) => (
                    <span key={key}>
                      {at > 0 ? ' ' : ''}
                      <kbd>{key}</kbd>
                    </span>
                  ))}
                </th>
                <td>{does}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
    </dialog>
  );
}

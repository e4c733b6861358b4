/**
 * One choice of a few, side by side.
 */
interface Props<T extends string> {
  readonly label: string;
  readonly choices: readonly Segment<T>[];
  readonly chosen: T;
  readonly onChoose: (value: T) => void;
  /** Name of the group of radio buttons: one of its kind in the app. */
  readonly name: string;
}

export interface Segment<T extends string> {
  readonly value: T;
  readonly label: string;
  /** What it is, or why it is not to be had. */
  readonly help?: string;
  readonly disabled?: boolean;
}

export function Segments<T extends string>({ label, choices, chosen, onChoose, name }: Props<T>) {
  return (
    <fieldset class="segments">
      <legend class="hidden">{label}</legend>
      {choices.map(({ value, label: words, help = '', disabled = false }) => (
        <label key={value} class={`segment${value === chosen ? ' checked' : ''}${disabled ? ' disabled' : ''}`} title={help}>
          <input type="radio" name={name} checked={value === chosen} disabled={disabled} onChange={() => onChoose(value)} />
          {words}
        </label>
      ))}
    </fieldset>
  );
}

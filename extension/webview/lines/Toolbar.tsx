/**
 * Metric, filter, and what amounts are of.
 */
import type { RefObject } from 'preact';
import type { Metric } from '../../server/wire';
import { Icon } from '../shared/Icon';
import { METRICS } from './columns';

interface Props {
  readonly search: RefObject<HTMLInputElement | null>;
  readonly metric: Metric;
  readonly hasDevice: boolean;
  readonly steps: number;
  readonly per: 'step' | 'run';
  readonly filter: string;
  readonly shown: number;
  readonly all: number;
  readonly onMetric: (metric: Metric) => void;
  readonly onPer: (per: 'step' | 'run') => void;
  readonly onFilter: (filter: string) => void;
  /** The reader is done with the filter: on to the table. */
  readonly onLeave: () => void;
  readonly onCopy: (format: 'csv' | 'markdown') => void;
}

export function Toolbar(props: Props) {
  const { metric, hasDevice, steps, per, filter } = props;
  return (
    <div class="toolbar" role="toolbar" aria-label="Lines">
      <fieldset class="segments">
        <legend class="hidden">Metric</legend>
        {METRICS.map((choice) => (
          <Segment
            key={choice.metric}
            group="metric"
            label={choice.label}
            checked={metric === choice.metric}
            disabled={choice.metric === 'gpu_time' && !hasDevice}
            help={choice.metric === 'gpu_time' && !hasDevice ? 'The run used no device' : ''}
            onChoose={() => props.onMetric(choice.metric)}
          />
        ))}
      </fieldset>
      {steps > 0 ? (
        <fieldset class="segments">
          <legend class="hidden">Amounts</legend>
          <Segment group="per" label="per step" checked={per === 'step'} help="Mean of a step" onChoose={() => props.onPer('step')} />
          <Segment group="per" label="per run" checked={per === 'run'} help="Sum over the recording" onChoose={() => props.onPer('run')} />
        </fieldset>
      ) : null}
      <div class="filter">
        <Icon name="search" />
        <input
          ref={props.search}
          type="text"
          placeholder="Filter by source, file:line or function"
          aria-label="Filter lines"
          aria-keyshortcuts="/"
          spellcheck={false}
          value={filter}
          onInput={(event) => props.onFilter(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && filter !== '') {
              props.onFilter('');
            } else if (event.key === 'Escape' || event.key === 'Enter' || event.key === 'ArrowDown') {
              event.preventDefault();
              props.onLeave();
            }
          }}
        />
        <span class="count" role="status">
          {props.shown === props.all ? `${props.all}` : `${props.shown} of ${props.all}`}
        </span>
      </div>
      <div class="copy">
        <button type="button" class="tool" title="Copy the shown lines as CSV" onClick={() => props.onCopy('csv')}>
          <Icon name="copy" /> CSV
        </button>
        <button type="button" class="tool" title="Copy the shown lines as Markdown" onClick={() => props.onCopy('markdown')}>
          <Icon name="markdown" /> Markdown
        </button>
      </div>
    </div>
  );
}

interface SegmentProps {
  readonly group: string;
  readonly label: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly help: string;
  readonly onChoose: () => void;
}

function Segment({ group, label, checked, disabled = false, help, onChoose }: SegmentProps) {
  return (
    <label class={`segment${checked ? ' checked' : ''}${disabled ? ' disabled' : ''}`} title={help}>
      <input type="radio" name={group} checked={checked} disabled={disabled} onChange={onChoose} />
      {label}
    </label>
  );
}

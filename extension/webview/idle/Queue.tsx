/**
 * The length of a stream's launch queue over time. Arrows go through it, and what it was is said below; screen readers get a table.
 */
import { useState } from 'preact/hooks';
import { count, share, timeUs } from '../../format';
import type { StreamQueue } from '../../server/views';
import { areaPath, linePath, partsOf } from './queueShape';

/** Units of the drawing, which is stretched to its room. */
const HEIGHT = 100;

export function Queue({ queue }: { readonly queue: StreamQueue }) {
  const [at, setAt] = useState<number | null>(null);
  const { mean, most, max_length: top, start_us: start, end_us: end } = queue;
  const parts = mean.length;
  const time = (index: number) => start + ((end - start) * index) / parts;
  const name = `${queue.device}, stream ${queue.stream}`;
  const facts = [
    `mean ${count(queue.mean_length)}`,
    `most ${count(top)}`,
    `empty ${end > start ? share(queue.empty_us / (end - start)) : ''} of the time`,
    ...(queue.full_us > 0 ? [`full ${timeUs(queue.full_us)}`] : []),
  ].join(', ');
  const move = (to: number) => setAt(Math.min(parts - 1, Math.max(0, to)));
  const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1, PageDown: 20, PageUp: -20 };
  return (
    <figure class="queue" aria-label={`Launch queue of ${name}`}>
      <figcaption>
        <strong>{name}</strong> <span class="quiet">{facts}</span>
      </figcaption>
      <div
        class="plot"
        role="img"
        aria-label={`Length of the queue of ${name} over time: ${facts}`}
        tabIndex={0}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          move(Math.floor(((event.clientX - box.left) / box.width) * parts));
        }}
        onPointerLeave={() => setAt(null)}
        onKeyDown={(event) => {
          const by = steps[event.key];
          if (by !== undefined) {
            event.preventDefault();
            move(at === null ? 0 : at + by);
          }
        }}
      >
        <span class="scale quiet">{count(top)}</span>
        <svg viewBox={`0 0 ${parts} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <path class="most" d={areaPath(most, top, HEIGHT)} />
          <path class="mean" d={linePath(mean, top, HEIGHT)} vector-effect="non-scaling-stroke" />
          {at === null ? null : <path class="cursor" d={`M${at + 0.5} 0V${HEIGHT}`} vector-effect="non-scaling-stroke" />}
        </svg>
      </div>
      <p class="axis quiet" role="status">
        {at === null ? (
          <>
            <span>{timeUs(start)}</span>
            <span>{timeUs(end)}</span>
          </>
        ) : (
          <span>
            {timeUs(time(at))} – {timeUs(time(at + 1))}: mean {count(mean[at] ?? 0)}, most {count(most[at] ?? 0)}
          </span>
        )}
      </p>
      <div class="hidden">
        <table>
          <caption>Launch queue of {name}</caption>
          <thead>
            <tr>
              <th scope="col">from</th>
              <th scope="col">to</th>
              <th scope="col">mean length</th>
              <th scope="col">greatest length</th>
            </tr>
          </thead>
          <tbody>
            {partsOf(queue, 20).map((part) => (
              <tr key={part.from_us}>
                <td>{timeUs(part.from_us)}</td>
                <td>{timeUs(part.to_us)}</td>
                <td>{count(part.mean)}</td>
                <td>{count(part.most)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

/**
 * All numbers of a module: forward and backward, with and without the modules that it called, and its memory by device.
 */
import { sizeBytes, timeUs } from '../../format';
import type { ModuleCost } from '../../server/views';
import { At } from '../shared/At';
import '../shared/detail.css';
import '../shared/matrix.css';
import { PlaceLink } from '../shared/PlaceLink';
import type { Spread } from '../shared/perStep';

interface Props {
  readonly row: ModuleCost;
  readonly hasDevice: boolean;
  readonly spread: Spread;
  readonly labels: ReadonlyMap<string, string>;
}

export function Detail({ row, hasDevice, spread: { steps, suffix }, labels }: Props) {
  const time = (us: number) => <td>{timeUs(us / steps)}</td>;
  const devices = [...new Set([row.alloc_total_bytes, row.peak_total_bytes].flatMap((bytes) => Object.keys(bytes)))].sort();
  return (
    <div class="detail module-detail" role="presentation">
      {row.called_on === null ? null : (
        <p class="extra called-on">
          called on: <At frame={row.called_on} labels={labels} named tabIndex={0} />
        </p>
      )}
      <p class="extra">
        {row.file === '' ? (
          'Where its forward is defined was not recorded.'
        ) : (
          <>
            forward: <PlaceLink place={row} /> <span class="file">{row.file}</span>
          </>
        )}
      </p>
      <section>
        <table class="matrix">
          <caption>Time{suffix}</caption>
          <thead>
            <tr>
              <td />
              {hasDevice ? (
                <>
                  <th scope="col">GPU self</th>
                  <th scope="col">GPU total</th>
                </>
              ) : null}
              <th scope="col">CPU self</th>
              <th scope="col">CPU total</th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">forward</th>
              {hasDevice ? [time(row.device_self_us), time(row.device_total_us)] : null}
              {time(row.host_self_us)}
              {time(row.host_total_us)}
            </tr>
            <tr>
              <th scope="row">backward</th>
              {hasDevice ? [time(row.device_backward_self_us), time(row.device_backward_total_us)] : null}
              {time(row.host_backward_self_us)}
              {time(row.host_backward_total_us)}
            </tr>
          </tbody>
        </table>
      </section>
      <section>
        {devices.length === 0 ? (
          <p class="quiet">It allocated nothing, or memory was not recorded.</p>
        ) : (
          <table class="matrix">
            <caption>Memory</caption>
            <thead>
              <tr>
                <td />
                <th scope="col">allocated self{suffix}</th>
                <th scope="col">total{suffix}</th>
                <th scope="col">at peak self</th>
                <th scope="col">total</th>
              </tr>
            </thead>
            <tbody>
              {devices.map((device) => (
                <tr key={device}>
                  <th scope="row">{device}</th>
                  <td>{sizeBytes((row.alloc_self_bytes[device] ?? 0) / steps)}</td>
                  <td>{sizeBytes((row.alloc_total_bytes[device] ?? 0) / steps)}</td>
                  <td>{sizeBytes(row.peak_self_bytes[device] ?? 0)}</td>
                  <td>{sizeBytes(row.peak_total_bytes[device] ?? 0)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
    </div>
  );
}

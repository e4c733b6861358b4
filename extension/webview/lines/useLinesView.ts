/**
 * The page's data: asked for once, and again whenever the run is another. A newer answer always wins over an older one.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { LinesView, ReadProgress } from '../../server/wire';
import type { Transport } from '../shared/transport';

export type Data =
  | { readonly state: 'loading'; readonly progress: ReadProgress | null }
  | { readonly state: 'failed'; readonly message: string }
  | { readonly state: 'ready'; readonly view: LinesView };

export function useLinesView(transport: Transport): { readonly data: Data; readonly reload: () => void } {
  const [data, setData] = useState<Data>({ state: 'loading', progress: null });
  const asked = useRef(0);

  const load = useCallback(() => {
    const mine = ++asked.current;
    transport.ask('kinetoscope/lines/view', {}).then(
      (view) => {
        if (mine === asked.current) {
          setData({ state: 'ready', view });
        }
      },
      (error: unknown) => {
        if (mine === asked.current) {
          setData({ state: 'failed', message: error instanceof Error ? error.message : String(error) });
        }
      },
    );
  }, [transport]);

  const reload = useCallback(() => {
    setData({ state: 'loading', progress: null });
    load();
  }, [load]);

  useEffect(() => {
    load();
    const offRun = transport.on('run-changed', load);
    const offProgress = transport.on('read-progress', (progress) =>
      setData((now) => (now.state === 'loading' ? { state: 'loading', progress } : now)),
    );
    return () => {
      offRun();
      offProgress();
    };
  }, [transport, load]);

  return { data, reload };
}

/**
 * The Idle & sync page: why devices were idle, how launches kept up, and where the host waited.
 */
import { useCallback } from 'preact/hooks';
import { Message } from '../shared/Message';
import { Segments } from '../shared/Segments';
import { useSession, useTarget } from '../shared/session';
import { usePageState } from '../shared/state';
import type { TableState } from '../shared/table';
import { AnswerOf, useView } from '../shared/view';
import './idle.css';
import { IdleTopic, lineKey } from './IdleTopic';
import { LaunchesTopic } from './LaunchesTopic';
import { DEFAULT_CHOICES, restoreChoices, TOPICS } from './state';
import { WaitsTopic } from './WaitsTopic';

export function IdlePage() {
  const [choices, change] = usePageState('idle', DEFAULT_CHOICES, restoreChoices);
  const { topic } = choices;
  const idle = useView('idle', topic !== 'waits');
  const sync = useView('sync', topic === 'waits');
  const onTable = useCallback(
    (name: 'idle' | 'launches' | 'waiting') => (patch: Partial<TableState>) => change((now) => ({ [name]: { ...now[name], ...patch } })),
    [change],
  );
  useTarget(({ line }) => {
    if (line !== undefined) {
      change((now) => ({ topic: 'idle', idle: { ...now.idle, filter: '', selected: lineKey({ frame: line }) } }));
    }
  });
  return (
    <div class="idle">
      <div class="topics">
        <Segments label="Topic" name="idle-topic" chosen={topic} choices={TOPICS} onChoose={(value) => change({ topic: value })} />
      </div>
      {topic === 'waits' ? (
        <AnswerOf key="sync" answer={sync}>
          {(content) => (
            <div class="topic">
              <WaitsTopic
                content={content}
                group={choices.waits}
                onGroup={(waits) => change((now) => ({ waits, waiting: { ...now.waiting, selected: null } }))}
                per={choices.per}
                onPer={(per) => change({ per })}
                table={choices.waiting}
                onTable={onTable('waiting')}
              />
            </div>
          )}
        </AnswerOf>
      ) : (
        <AnswerOf key="idle" answer={idle}>
          {(content) =>
            content.devices.length === 0 ? (
              <NoDevice />
            ) : (
              <div class="topic">
                {topic === 'idle' ? (
                  <IdleTopic
                    content={content}
                    table={choices.idle}
                    onTable={onTable('idle')}
                    onWaits={(filter) =>
                      change((now) => ({ topic: 'waits', waits: 'line', waiting: { ...now.waiting, filter, selected: null } }))
                    }
                  />
                ) : (
                  <LaunchesTopic content={content} table={choices.launches} onTable={onTable('launches')} />
                )}
              </div>
            )
          }
        </AnswerOf>
      )}
    </div>
  );
}

function NoDevice() {
  const { part } = useSession();
  const whole = part.step === null && part.range_us === null;
  return (
    <Message icon="watch" title="No device to be idle">
      {whole ? (
        <p>
          Idle time is that of GPUs, and the recording has no work of one: the script ran on the CPU, or the trace was recorded without the
          device’s activity (ProfilerActivity.CUDA). Where a CPU’s time goes is in Overview and Lines.
        </p>
      ) : (
        <p>No device worked in the selected part of the recording. Choose another part, or the whole.</p>
      )}
    </Message>
  );
}

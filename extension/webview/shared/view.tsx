/**
 * A page's data: asked for the run and the part that are looked at, and again whenever these are others. A newer answer always wins over an older one;
 * the reader sees how far it is, can cancel, and can try again.
 */
import type { ComponentChildren, VNode } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { sizeBytes } from '../../format';
import type { ViewContents } from '../../server/views';
import type { ReadProgress } from '../../server/wire';
import type { PageRequests } from '../../views/messages';
import { Icon } from './Icon';
import { Message } from './Message';
import { usePagePlace, useSession } from './session';
import { isAborted } from './transport';

export type Answer<T> =
  | { readonly state: 'waiting'; readonly cancel: () => void }
  | { readonly state: 'failed'; readonly message: string; readonly again: () => void }
  /** `stale`: of the part before; the answer for the present one is on its way. */
  | { readonly state: 'ready'; readonly content: T; readonly stale: boolean; readonly again: () => void };

interface Got<T> {
  /** Run and question that the answer is of. */
  readonly of: string;
  readonly content: T | null;
  readonly failed: string | null;
}

/**
 * The answer to a question, asked when the page is on the screen, and again when `params`, the run or its reading are others, or what `also` says that
 * it depends on. `params` null asks nothing. Content of another run is never shown, that of another part only as `stale`.
 */
export function useAnswer<M extends keyof PageRequests>(
  method: M,
  params: PageRequests[M]['params'] | null,
  also?: unknown,
): Answer<PageRequests[M]['result']> {
  type Result = PageRequests[M]['result'];
  const { transport, summary, revision } = useSession();
  const { shown } = usePagePlace();
  const of = `${method} ${summary?.path ?? ''}`;
  const [got, setGot] = useState<Got<Result> | null>(null);
  const [busy, setBusy] = useState(false);
  const asked = useRef<{ readonly key: string; readonly controller: AbortController } | null>(null);
  const [attempt, setAttempt] = useState(0);
  const key = JSON.stringify([of, params, also, revision, attempt]);

  useEffect(() => {
    if (!shown || revision < 0 || params === null || asked.current?.key === key) {
      return;
    }
    asked.current?.controller.abort();
    const controller = new AbortController();
    const mine = { key, controller };
    asked.current = mine;
    setBusy(true);
    const done = (content: Result | null, failed: string | null) => {
      if (asked.current === mine) {
        setGot({ of, content, failed });
        setBusy(false);
      }
    };
    transport.ask(method, params, controller.signal).then(
      (content) => done(content, null),
      (error: unknown) => done(null, isAborted(error) ? 'It was cancelled.' : error instanceof Error ? error.message : String(error)),
    );
  }, [shown, key]);
  useEffect(() => () => asked.current?.controller.abort(), []);

  const again = useCallback(() => {
    setGot(null);
    setAttempt((now) => now + 1);
  }, []);
  const cancel = useCallback(() => asked.current?.controller.abort(), []);

  if (got?.of !== of || (got.content === null && busy)) {
    return { state: 'waiting', cancel };
  }
  // A question that was changed while the page was hidden, or just now, is asked after this drawing.
  const stale = busy || asked.current?.key !== key;
  return got.content === null
    ? { state: 'failed', message: got.failed ?? '', again }
    : { state: 'ready', content: got.content, stale, again };
}

/**
 * A view of the run and part that are looked at. While it is not `wanted` it is not asked for. A name may change only to one whose contents are of
 * the same type: those of the view before are shown as `stale` until its answer is there.
 */
export function useView<N extends keyof ViewContents>(name: N, wanted = true): Answer<ViewContents[N]> {
  const { run, part } = useSession();
  const answer = useAnswer('kinetoscope/view', wanted ? { run, name, part } : null);
  // SAFETY: the server makes the content of each view from the struct that ViewContents is made from.
  return unwrapped(answer as Answer<{ readonly content: ViewContents[N] }>);
}

function unwrapped<T>(answer: Answer<{ readonly content: T }>): Answer<T> {
  return answer.state === 'ready' ? { ...answer, content: answer.content.content } : answer;
}

interface ViewOfProps<N extends keyof ViewContents> {
  readonly name: N;
  readonly children: (content: ViewContents[N]) => ComponentChildren;
}

/** A view with all its states: waiting, failed, shown with its notices below. */
export function ViewOf<N extends keyof ViewContents>(props: ViewOfProps<N>) {
  // Another view has other contents: what was got of this one is not to be shown as that.
  return <OneView key={props.name} {...props} />;
}

function OneView<N extends keyof ViewContents>({ name, children }: ViewOfProps<N>) {
  return <AnswerOf answer={useView(name)}>{children}</AnswerOf>;
}

/** An answer with all its states. */
export function AnswerOf<T>({ answer, children }: { readonly answer: Answer<T>; readonly children: (content: T) => ComponentChildren }) {
  const { revision } = useSession();
  if (answer.state === 'waiting') {
    // Until the run is there the shell waits, and says so.
    return revision < 0 ? null : <Waiting onCancel={answer.cancel} />;
  }
  if (answer.state === 'failed') {
    return <Failed message={answer.message} again={answer.again} />;
  }
  return (
    <div class={`answer${answer.stale ? ' stale' : ''}`} aria-busy={answer.stale}>
      <div class="content">{children(answer.content)}</div>
      <Notices notices={noticesOf(answer.content)} />
    </div>
  );
}

function noticesOf(content: unknown): readonly string[] {
  const notices: unknown = typeof content === 'object' && content !== null && 'notices' in content ? content.notices : [];
  return Array.isArray(notices) ? notices.filter((notice): notice is string => typeof notice === 'string') : [];
}

/** What the reader of the numbers should know. */
export function Notices({ notices }: { readonly notices: readonly string[] }): VNode | null {
  return notices.length === 0 ? null : (
    <ul class="notices">
      {notices.map((notice) => (
        <li key={notice}>
          <Icon name="info" /> {notice}
        </li>
      ))}
    </ul>
  );
}

const STAGES: Readonly<Record<ReadProgress['stage'], string>> = {
  reading: 'Reading the trace',
  linking: 'Linking operators to lines',
  lines: 'Summing up lines',
  done: 'Waiting for the server',
  failed: 'Waiting for the server',
  cancelled: 'Waiting for the server',
};

/** How far the answer is. */
export function Waiting({ onCancel }: { readonly onCancel: () => void }) {
  const { progress, command } = useSession();
  const title = progress === null ? 'Waiting for the server' : STAGES[progress.stage];
  return (
    <Message icon="loading" spin title={`${title}…`}>
      {progress?.stage === 'reading' && progress.total > 0 ? (
        <>
          <progress max={progress.total} value={progress.done} aria-label={title} />
          <p class="bytes">
            {sizeBytes(progress.done)} of {sizeBytes(progress.total)}
          </p>
        </>
      ) : null}
      <p>Only the first look takes time: what was read is remembered.</p>
      <p class="actions">
        <button
          type="button"
          class="button secondary"
          onClick={() => {
            // The reading is everybody's; its end answers this question too.
            if (progress === null) {
              onCancel();
            } else {
              command('cancel-reading');
            }
          }}
        >
          Cancel
        </button>
      </p>
    </Message>
  );
}

export function Failed({ title = 'This can’t be shown', message, again }: { title?: string; message: string; again: () => void }) {
  const { transport, command } = useSession();
  return (
    <Message icon="warning" title={title}>
      <p>{message}</p>
      <p class="actions">
        <button type="button" class="button" onClick={again}>
          Try again
        </button>
        {transport.editor ? (
          <button type="button" class="button secondary" onClick={() => command('show-log')}>
            Show log
          </button>
        ) : null}
      </p>
    </Message>
  );
}

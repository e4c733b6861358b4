/**
 * The advice: a card for each finding, with what was seen, where, and what to do. Where the recording has several ranks, what only all of them together
 * show stands first.
 */
import { useId, useState } from 'preact/hooks';
import type { Advice as Findings, AdviceLine, Finding } from '../../server/views';
import { Icon } from '../shared/Icon';
import { PlaceLink } from '../shared/PlaceLink';
import { useSession } from '../shared/session';
import { Notices, useView } from '../shared/view';
import type { Answer } from '../shared/view';
import { evidenceText, gainText, lineText, ofText, pageOf, SEVERITIES, unexplained } from './evidence';
import { PageLink } from './PageLink';

/** More lines than this are rarely read; the rest is one click away. */
const FEW = 4;

export function Advice() {
  const { ranks } = useSession();
  return ranks.length > 1 ? <AdviceOfRanks /> : <AdviceOfOne />;
}

function AdviceOfOne() {
  return <Group title="Advice" answer={useView('advice')} />;
}

function AdviceOfRanks() {
  const { ranks, part } = useSession();
  const together = useView('advice-of-ranks');
  const one = useView('advice');
  const own: Answer<Findings> =
    one.state === 'ready' ? { ...one, content: unexplained(one.content, together.state === 'ready' ? together.content : null) } : one;
  return (
    <>
      <Group title={`Advice across the ${ranks.length} ranks`} answer={together} />
      <Group title={`Advice for rank ${part.rank ?? ranks[0] ?? 0}`} answer={own} />
    </>
  );
}

function Group({ title, answer }: { readonly title: string; readonly answer: Answer<Findings> }) {
  const id = useId();
  return (
    <section class="advice" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {answer.state === 'waiting' ? (
        <p class="quiet" role="status">
          <Icon name="loading" spin /> Looking for what can be made faster…
        </p>
      ) : answer.state === 'failed' ? (
        <div class="failed" role="status">
          <p>
            <Icon name="warning" /> {answer.message}
          </p>
          <button type="button" class="button secondary" onClick={answer.again}>
            Try again
          </button>
        </div>
      ) : (
        <div class={answer.stale ? 'stale' : ''} aria-busy={answer.stale}>
          <Cards advice={answer.content} />
          <Notices notices={answer.content.notices} />
        </div>
      )}
    </section>
  );
}

function Cards({ advice }: { readonly advice: Findings }) {
  return advice.findings.length === 0 ? (
    <p>
      <Icon name="pass" /> None of the faults that Kinetoscope knows was found. What costs most is on the other pages.{' '}
      <PageLink page="lines" />
    </p>
  ) : (
    <>
      <p class="of">{ofText(advice)}</p>
      <ol class="cards">
        {advice.findings.map((finding) => (
          <li key={finding.id}>
            <Card finding={finding} advice={advice} />
          </li>
        ))}
      </ol>
    </>
  );
}

function Card({ finding, advice }: { readonly finding: Finding; readonly advice: Findings }) {
  const { has } = useSession();
  const id = useId();
  const severity = SEVERITIES[finding.severity];
  const gain = gainText(finding, advice);
  const lines = advice.lines.filter((line) => line.finding === finding.id);
  const page = pageOf(finding.id, has);
  return (
    <article class={`card severity-${finding.severity}`} aria-labelledby={id}>
      <header>
        <span class="severity" title={severity.help}>
          <Icon name={severity.icon} /> {severity.word}
        </span>
        <h3 id={id}>{finding.title}</h3>
        {gain === null ? null : (
          <span class="gain" title="At most: how much shorter a step can become if this alone is put right">
            Gain {gain}
          </span>
        )}
      </header>
      <p>{finding.seen}</p>
      {finding.evidence.length === 0 ? null : (
        <dl class="evidence">
          {finding.evidence.map((evidence) => (
            <div key={evidence.name}>
              <dt>{evidence.name}</dt>
              <dd>{evidenceText(evidence)}</dd>
            </div>
          ))}
        </dl>
      )}
      {lines.length === 0 ? null : <Lines lines={lines} advice={advice} />}
      <p class="remedy">
        <Icon name="lightbulb" /> <strong>What to do:</strong> {finding.remedy}
      </p>
      <footer>
        {page === null ? null : <PageLink page={page} />}
        {finding.link.startsWith('https://') ? (
          <a class="link" href={finding.link} target="_blank" rel="noopener noreferrer" title={finding.link}>
            <Icon name="link-external" /> Documentation
          </a>
        ) : null}
      </footer>
    </article>
  );
}

function Lines({ lines, advice }: { readonly lines: readonly AdviceLine[]; readonly advice: Findings }) {
  const [all, setAll] = useState(false);
  const shown = all ? lines : lines.slice(0, FEW);
  return (
    <ul class="places" aria-label="Lines">
      {shown.map((line) => (
        <li key={`${line.file}:${line.line} ${line.rank ?? ''}`}>
          <PlaceLink place={line} />
          {line.rank === null ? null : <span class="badge">rank {line.rank}</span>}
          <code title={line.source}>{line.source === '' ? line.function : line.source}</code>
          <span class="amount">{lineText(line, advice)}</span>
        </li>
      ))}
      {lines.length > shown.length ? (
        <li>
          <button type="button" class="link" onClick={() => setAll(true)}>
            Show all {lines.length} lines
          </button>
        </li>
      ) : null}
    </ul>
  );
}

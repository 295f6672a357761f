/** What `doctor` says, for whoever is at the console: what is to be fixed first. */
import type { DateTime } from 'luxon';
import { countProblems, explainFinding } from '../../checks/describe-finding.ts';
import type { Finding, FindingState } from '../../checks/finding.ts';
import { exactMoment } from '../../text/exact-moment.ts';
import { MarkedWords } from '../marked-words.tsx';

const GROUPS: readonly { states: readonly FindingState[]; title: string; tone: string }[] = [
  { states: ['problem'], title: 'To fix', tone: 'bad' },
  { states: ['warning', 'unknown'], title: 'To know', tone: 'warn' },
  { states: ['waiting'], title: 'Comes by itself', tone: 'calm' },
  { states: ['look'], title: 'To look at yourself', tone: 'calm' },
  { states: ['ok'], title: 'In order', tone: 'calm' },
];

interface ShownChecks {
  readonly findings: readonly Finding[];
  readonly now: DateTime;
  readonly root: string;
}

export function ChecksView({ findings, now, root }: ShownChecks) {
  const isWhole = findings.every(({ state }) => state !== 'problem');
  return (
    <>
      <h1>Checks</h1>
      <p class={`verdict ${isWhole ? 'good' : 'bad'}`} role="status">
        {countProblems(findings)}{' '}
        <span class="soft">
          As of {exactMoment(now.toJSDate())}; the command <code>doctor</code> says the same
        </span>
      </p>
      {GROUPS.map(({ states, title, tone }) => {
        const shown = findings.filter(({ state }) => states.includes(state));
        if (shown.length === 0) return null;
        return (
          <section class={`card ${tone}`}>
            <h2>{title}</h2>
            <ul class="lines">
              {shown.map((one) => (
                <Line found={one} root={root} />
              ))}
            </ul>
          </section>
        );
      })}
      <p>
        <a href={`${root}checks`}>Check again</a>
      </p>
    </>
  );
}

function Line({ found, root }: { found: Finding; root: string }) {
  const { title, detail, remedy } = explainFinding(found);
  return (
    <li>
      <b>{title}</b>
      {detail !== '' && (
        <>
          {': '}
          <MarkedWords text={detail} root={root} />
        </>
      )}
      {remedy !== undefined && (
        <div class="soft">
          <MarkedWords text={remedy} root={root} />
        </div>
      )}
    </li>
  );
}

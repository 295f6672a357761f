/** The findings of `doctor` for the console's reader: problems first. */
import { countProblems, explainFinding } from '../../checks/describe-finding.ts';
import type { Finding, FindingState } from '../../checks/finding.ts';
import type { Reader } from '../page-reader.ts';
import { MarkedWords } from '../parts/marked-words.tsx';
import { Moment } from '../parts/moment.tsx';

const GROUPS: readonly { states: readonly FindingState[]; title: string; tone: string }[] = [
  { states: ['problem'], title: 'To fix', tone: 'bad' },
  { states: ['warning', 'unknown'], title: 'Warnings', tone: 'warn' },
  { states: ['waiting'], title: 'Waiting', tone: 'calm' },
  { states: ['look'], title: 'To check by hand', tone: 'calm' },
  { states: ['ok'], title: 'Passed', tone: 'calm' },
];

interface ShownChecks {
  readonly findings: readonly Finding[];
  readonly reader: Reader;
}

export function ChecksView({ findings, reader }: ShownChecks) {
  const isWhole = findings.every(({ state }) => state !== 'problem');
  return (
    <>
      <h1>Checks</h1>
      <p class={`verdict ${isWhole ? 'good' : 'bad'}`} role="status">
        {countProblems(findings)}{' '}
        <span class="soft">
          As of <Moment at={reader.now} reader={reader} />; the command <code>doctor</code> says the same
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
                <Line found={one} reader={reader} />
              ))}
            </ul>
          </section>
        );
      })}
      <p>
        <a href={`${reader.root}checks`}>Check again</a>
      </p>
    </>
  );
}

function Line({ found, reader }: { found: Finding; reader: Reader }) {
  const { title, detail, remedy } = explainFinding(found);
  return (
    <li>
      <b>{title}</b>
      {detail !== '' && (
        <>
          {': '}
          <MarkedWords text={detail} reader={reader} />
        </>
      )}
      {remedy !== undefined && (
        <div class="soft">
          <MarkedWords text={remedy} reader={reader} />
        </div>
      )}
    </li>
  );
}

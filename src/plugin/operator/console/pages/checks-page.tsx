/** The findings of `doctor` for the console's reader: problems first. */
import { countProblems, explainFinding } from '../../checks/describe-finding.ts';
import type { Finding, FindingState } from '../../checks/finding.ts';
import type { Page } from '../page-answer.ts';
import { Link, Moment } from '../parts/cells.tsx';
import { MarkedWords } from '../parts/marked-words.tsx';

const GROUPS: readonly { states: readonly FindingState[]; title: string; tone: string }[] = [
  { states: ['problem'], title: 'To fix', tone: 'bad' },
  { states: ['warning', 'unknown'], title: 'Warnings', tone: 'warn' },
  { states: ['waiting'], title: 'Waiting', tone: 'calm' },
  { states: ['look'], title: 'To check by hand', tone: 'calm' },
  { states: ['ok'], title: 'Passed', tone: 'calm' },
];

export const checksPage: Page = async ({ checks }, { reader }) => {
  const findings = await checks();
  const isWhole = findings.every(({ state }) => state !== 'problem');
  const main = (
    <>
      <h1>Checks</h1>
      <p class={`verdict ${isWhole ? 'good' : 'bad'}`} role="status">
        {countProblems(findings)}{' '}
        <span class="soft">
          As of <Moment at={reader.now} />; the command <code>doctor</code> says the same
        </span>
      </p>
      {GROUPS.map(({ states, title, tone }) => {
        const shown = findings.filter(({ state }) => states.includes(state));
        if (shown.length === 0) return null;
        return (
          <section class={`card ${tone}`}>
            <h2>{title}</h2>
            <ul class="lines">{shown.map(Line)}</ul>
          </section>
        );
      })}
      <p>
        <Link to="checks">Check again</Link>
      </p>
    </>
  );
  return { title: 'Checks', here: 'checks', main };
};

function Line(found: Finding) {
  const { title, detail, remedy } = explainFinding(found);
  return (
    <li>
      <b>{title}</b>
      {detail !== '' && (
        <>
          {': '}
          <MarkedWords text={detail} />
        </>
      )}
      {remedy !== undefined && (
        <div class="soft">
          <MarkedWords text={remedy} />
        </div>
      )}
    </li>
  );
}

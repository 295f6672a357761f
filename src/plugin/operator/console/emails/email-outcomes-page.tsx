/** What came of the emails: how many went out, were opened, brought a card and were paid, by step and language. */

import { capitalize } from '../../../../core/base/sentence-case.ts';
import { emailKind } from '../../../actions/action-kinds.ts';
import { formatMoney } from '../../../mails/format-money.ts';
import { type EmailOutcome, emailOutcomesQuery, readEmailOutcomes } from '../../lists/email-outcomes.ts';
import { describeEmail } from '../../text/describe-state.ts';
import type { Page } from '../page-answer.ts';
import { useReader } from '../page-reader.ts';
import { Count, Disputed, Link } from '../parts/cells.tsx';
import { type Column, figures, WideTable } from '../parts/wide-table.tsx';

const PERIODS = [7, 30, 90, 365];

export const emailOutcomesPage: Page = async ({ database }, { request, reader }) => {
  const { days } = emailOutcomesQuery.catch({ days: 30 }).parse(request.query);
  const { outcomes } = await readEmailOutcomes(database, reader.now, days);
  const templates = [...new Set(outcomes.map(({ template }) => template))];
  const main = (
    <>
      <div class="head">
        <h1>Results of emails</h1>
        <Link to="emails">All emails</Link>
      </div>
      <nav aria-label="Period" class="tabs">
        {PERIODS.map((period) => (
          <Link to={`email-outcomes?days=${period}`} aria-current={period === days ? 'page' : undefined}>
            {period} days
          </Link>
        ))}
      </nav>
      <p class="soft">
        Emails sent in this period. A card or a payment counts for the last email before it. Email scanners
        open links, too; only a person continues from there. Times are medians.
      </p>
      {templates.length === 0 && <p class="soft">No email was sent.</p>}
      {templates.map((template) => (
        <Outcomes template={template} outcomes={outcomes.filter((one) => one.template === template)} />
      ))}
    </>
  );
  return { title: 'Results of emails', here: 'emails', isLive: true, main };
};

function Outcomes({ template, outcomes }: { template: string; outcomes: readonly EmailOutcome[] }) {
  const name = capitalize(describeEmail(template));
  // One language alone is the same as all together.
  const isOne = (notice: string) => outcomes.filter((one) => one.notice === notice).length === 2;
  return (
    <section class="card flush">
      <h2>{name}</h2>
      <WideTable
        label={name}
        columns={COLUMNS}
        rows={outcomes.filter(({ language, notice }) => language === null || !isOne(notice))}
      />
    </section>
  );
}

const NOTICES: ReadonlyMap<string, string> = new Map([
  ['first', 'First email'],
  ['reminder', 'Reminders'],
  ['last', 'Last reminder'],
]);

const COLUMNS: readonly Column<EmailOutcome>[] = [
  {
    name: 'Email',
    cell: ({ language, notice }) =>
      language === null ? (
        (NOTICES.get(notice) ?? notice)
      ) : (
        <span class="soft">{nameLanguage(language)}</span>
      ),
  },
  figures('Sent', ({ sent }) => <Count of={sent} />),
  figures('Link opened', (one) => <Part of={one} count={isSeen(one) ? one.opened : null} />),
  figures('Continued', (one) => <Part of={one} count={isSeen(one) ? one.continued : null} />),
  figures('Card saved', (one) => <Part of={one} count={one.saved} />),
  figures('Paid', (one) => <Part of={one} count={one.paid} />),
  figures('Money', ({ money }) => <Paid money={money} />),
  figures('To the link', ({ secondsToOpen }) => <Median seconds={secondsToOpen} />),
  figures('To the payment', ({ secondsToPay }) => <Median seconds={secondsToPay} />),
];

/** The page behind the link is ours. */
const isSeen = ({ template }: EmailOutcome) => emailKind(template)?.page !== 'stripe';

function Part({ of: { sent }, count }: { of: EmailOutcome; count: number | null }) {
  if (count === null) return '–';
  return (
    <>
      <Count of={count} />
      <small>{Math.round((100 * count) / sent)} %</small>
    </>
  );
}

function Paid({ money }: Pick<EmailOutcome, 'money'>) {
  const { locale } = useReader();
  return (
    <>
      {money.map(({ amount, currency }) => formatMoney(amount, currency, locale)).join(' + ') || '–'}
      {money.map((sum) => (
        <Disputed {...sum} />
      ))}
    </>
  );
}

function nameLanguage(language: string): string {
  return new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language;
}

const UNITS = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3600 },
  { unit: 'minute', seconds: 60 },
] as const;

function Median({ seconds }: { seconds: number | null }) {
  const { locale } = useReader();
  if (seconds === null) return '–';
  const { unit, seconds: one } = UNITS.find((each) => seconds >= 2 * each.seconds) ?? UNITS[2];
  const form = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 0 } as const;
  return new Intl.NumberFormat(locale, form).format(seconds / one);
}

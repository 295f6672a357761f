/** What came of the emails: how many went out, were opened, brought a card and were paid, by step and language. */

import { capitalize } from '../../../../core/base/sentence-case.ts';
import { emailKind } from '../../../actions/action-kinds.ts';
import { formatMoney } from '../../../mails/format-money.ts';
import { describeDisputes } from '../../figures/labels.ts';
import type { EmailOutcome } from '../../lists/email-outcomes.ts';
import { describeEmail } from '../../text/describe-state.ts';
import type { Reader } from '../page-reader.ts';
import { type Column, figures, TableCard } from '../parts/wide-table.tsx';

interface ShownOutcomes {
  readonly days: number;
  readonly outcomes: readonly EmailOutcome[];
  readonly reader: Reader;
}

const PERIODS = [7, 30, 90, 365];
/** Shares of fewer emails say little. */
const FEW = 20;

export function EmailOutcomesView({ days, outcomes, reader }: ShownOutcomes) {
  const templates = [...new Set(outcomes.map(({ template }) => template))];
  return (
    <>
      <div class="head">
        <h1>Results of emails</h1>
        <a href={`${reader.root}emails`}>All emails</a>
      </div>
      <nav aria-label="Period" class="tabs">
        {PERIODS.map((period) => (
          <a
            href={`${reader.root}email-outcomes?days=${period}`}
            aria-current={period === days ? 'page' : undefined}
          >
            {period} days
          </a>
        ))}
      </nav>
      <p class="soft">
        Emails sent in this period. A card or a payment counts for the last email before it. Email scanners
        open links, too; only a person continues from there. Times are medians.
      </p>
      {templates.length === 0 && <p class="soft">No email was sent.</p>}
      {templates.map((template) => (
        <Outcomes
          template={template}
          outcomes={outcomes.filter((one) => one.template === template)}
          reader={reader}
        />
      ))}
    </>
  );
}

interface ShownTemplate extends Pick<ShownOutcomes, 'outcomes' | 'reader'> {
  readonly template: string;
}

function Outcomes({ template, outcomes, reader }: ShownTemplate) {
  const name = capitalize(describeEmail(template));
  // One language alone is the same as all together.
  const isOne = (notice: string) => outcomes.filter((one) => one.notice === notice).length === 2;
  const shown = outcomes.filter(({ language, notice }) => language === null || !isOne(notice));
  return (
    <TableCard
      title={name}
      columns={columnsFor(reader)}
      rows={shown}
      classOf={({ sent }) => (sent < FEW ? 'few' : undefined)}
    />
  );
}

const NOTICES: ReadonlyMap<string, string> = new Map([
  ['first', 'First email'],
  ['reminder', 'Reminders'],
  ['last', 'Last reminder'],
]);

function columnsFor({ locale }: Reader): Column<EmailOutcome>[] {
  const isSeen = ({ template }: EmailOutcome) => emailKind(template)?.page !== 'stripe';
  const part = (count: number, { sent }: EmailOutcome) => (
    <>
      {count.toLocaleString(locale)}
      <small>{Math.round((100 * count) / sent)} %</small>
    </>
  );
  return [
    {
      name: 'Email',
      cell: ({ language, notice }) =>
        language === null ? (
          (NOTICES.get(notice) ?? notice)
        ) : (
          <span class="soft">{nameLanguage(language)}</span>
        ),
    },
    figures('Sent', ({ sent }) => sent.toLocaleString(locale)),
    figures('Link opened', (one) => (isSeen(one) ? part(one.opened, one) : '–')),
    figures('Continued', (one) => (isSeen(one) ? part(one.continued, one) : '–')),
    figures('Card saved', (one) => part(one.saved, one)),
    figures('Paid', (one) => part(one.paid, one)),
    figures('Money', ({ money }) => (
      <>
        {money.map(({ amount, currency }) => formatMoney(amount, currency, locale)).join(' + ') || '–'}
        {money.map((sum) => (
          <small>{describeDisputes(sum, sum.currency, locale)}</small>
        ))}
      </>
    )),
    figures('To the link', ({ secondsToOpen }) => nameTime(secondsToOpen, locale)),
    figures('To the payment', ({ secondsToPay }) => nameTime(secondsToPay, locale)),
  ];
}

function nameLanguage(language: string): string {
  return new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language;
}

const UNITS = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3600 },
  { unit: 'minute', seconds: 60 },
] as const;

function nameTime(seconds: number | null, locale: string): string {
  if (seconds === null) return '–';
  const { unit, seconds: one } = UNITS.find((each) => seconds >= 2 * each.seconds) ?? UNITS[2];
  const form = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 0 } as const;
  return new Intl.NumberFormat(locale, form).format(seconds / one);
}

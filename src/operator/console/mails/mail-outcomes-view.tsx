/** What came of the mails: how many went out, were opened, brought a card and were paid, by step and language. */
import { mailKind } from '../../../contract/action-kinds.ts';
import { formatMoney } from '../../../email/format-money.ts';
import { capitalize } from '../../../kit/sentence-case.ts';
import type { MailOutcome } from '../../lists/mail-outcomes.ts';
import { describeMail } from '../../text/describe-state.ts';
import type { Reader } from '../page-reader.ts';
import { WideTable } from '../parts/cells.tsx';
import { ColumnHeads, numbers } from '../parts/column-heads.tsx';

interface ShownOutcomes {
  readonly days: number;
  readonly outcomes: readonly MailOutcome[];
  readonly reader: Reader;
}

const PERIODS = [7, 30, 90, 365];
/** Of fewer mails a share says little. */
const FEW = 20;

export function MailOutcomesView({ days, outcomes, reader }: ShownOutcomes) {
  const templates = [...new Set(outcomes.map(({ template }) => template))];
  return (
    <>
      <div class="head">
        <h1>What the mails bring</h1>
        <a href={`${reader.root}mails`}>All mails</a>
      </div>
      <nav aria-label="Period" class="tabs">
        {PERIODS.map((period) => (
          <a
            href={`${reader.root}mail-outcomes?days=${period}`}
            aria-current={period === days ? 'page' : undefined}
          >
            {period} days
          </a>
        ))}
      </nav>
      <p class="soft">
        Of the mails that went out in this time. A card or a payment counts for the last mail before it. Mail
        scanners open links, too; only a person goes on from there. Times are those that half of them took.
      </p>
      {templates.length === 0 && <p class="soft">No mail went out.</p>}
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

const COLUMNS = numbers(
  ...['Sent', 'Link opened', 'Went on', 'Card saved', 'Paid', 'Money', 'To the link', 'To the payment'],
);

function Outcomes({ template, outcomes, reader }: ShownTemplate) {
  const name = capitalize(describeMail(template));
  // One language alone is the same as all together.
  const isOne = (notice: string) => outcomes.filter((one) => one.notice === notice).length === 2;
  const shown = outcomes.filter(({ language, notice }) => language === null || !isOne(notice));
  return (
    <section class="card flush">
      <h2>{name}</h2>
      <WideTable label={name}>
        <ColumnHeads columns={['Mail', ...COLUMNS]} />
        <tbody>
          {shown.map((outcome) => (
            <OutcomeRow outcome={outcome} reader={reader} />
          ))}
        </tbody>
      </WideTable>
    </section>
  );
}

const NOTICES: ReadonlyMap<string, string> = new Map([
  ['first', 'First mail'],
  ['reminder', 'Reminders'],
  ['last', 'Last reminder'],
]);

function OutcomeRow({ outcome, reader }: { outcome: MailOutcome; reader: Reader }) {
  const { template, notice, language, sent, opened, continued, saved, paid, money } = outcome;
  const seen = mailKind(template)?.page === 'stripe' ? undefined : opened;
  return (
    <tr class={sent < FEW ? 'few' : undefined}>
      <th scope="row">
        {language === null ? (
          (NOTICES.get(notice) ?? notice)
        ) : (
          <span class="soft">{nameLanguage(language)}</span>
        )}
      </th>
      <td class="number">{sent.toLocaleString(reader.locale)}</td>
      <Part count={seen} of={sent} reader={reader} />
      <Part count={seen === undefined ? undefined : continued} of={sent} reader={reader} />
      <Part count={saved} of={sent} reader={reader} />
      <Part count={paid} of={sent} reader={reader} />
      <td class="number">
        {money.length === 0
          ? '–'
          : money.map(({ amount, currency }) => formatMoney(amount, currency, reader.locale)).join(' + ')}
      </td>
      <td class="number">{nameTime(outcome.secondsToOpen, reader.locale)}</td>
      <td class="number">{nameTime(outcome.secondsToPay, reader.locale)}</td>
    </tr>
  );
}

function Part({ count, of, reader }: { count: number | undefined; of: number; reader: Reader }) {
  if (count === undefined) return <td class="number">–</td>;
  return (
    <td class="number">
      {count.toLocaleString(reader.locale)}
      <small>{Math.round((100 * count) / of)} %</small>
    </td>
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

function nameTime(seconds: number | null, locale: string): string {
  if (seconds === null) return '–';
  const { unit, seconds: one } = UNITS.find((each) => seconds >= 2 * each.seconds) ?? UNITS[2];
  const form = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 0 } as const;
  return new Intl.NumberFormat(locale, form).format(seconds / one);
}

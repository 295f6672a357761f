/** The present: what needs a person, where unpaid invoices are, and the rest of today. */
import { capitalize } from '../../../../core/base/sentence-case.ts';
import { Key, Segments } from '../../../../core/web/segments.tsx';
import { describeAction } from '../../../actions/action-kinds.ts';
import { formatMoney } from '../../../mails/format-money.ts';
import type { Failure } from '../../../store/reports/money/list-failures.ts';
import { inRow } from '../../figures/exchange.ts';
import { countInvoices } from '../../figures/list-figures.ts';
import { count, unpaidOf } from '../../figures/money-facts.ts';
import { describeCode } from '../../text/describe-code.ts';
import { NEED_ROWS } from '../../text/describe-need.ts';
import { STANDING_WORDS } from '../../text/describe-standing.ts';
import type { Reader } from '../page-reader.ts';
import { linkTo, type ShownNow } from './overview-parts.tsx';

const SHOWN = 3;

export function NowCards(shown: ShownNow) {
  return (
    <>
      <NeedsAttention {...shown} />
      {shown.facts.rows.length > 0 && <InRecovery {...shown} />}
      <Scheduled {...shown} />
    </>
  );
}

const nameOf = ({ customerName, customerEmail, customerId, invoiceId }: Failure) =>
  customerName ?? customerEmail ?? customerId ?? invoiceId;

function NeedsAttention({ facts, needed, reader }: ShownNow) {
  const { row } = facts;
  const all = count(inRow(row, facts.needs));
  return (
    <section class="card flush">
      <div class="head">
        <h3>Needs attention</h3>
        {all.invoices > 0 && (
          <a href={`${reader.root}needs`}>
            {countInvoices(all, reader.locale)} · {formatMoney(all.amount, row.currency, reader.locale)}
          </a>
        )}
      </div>
      <ul class="rows">
        {needed.length === 0 && <li class="soft">No invoices need attention.</li>}
        {needed.slice(0, SHOWN).map((failure) => (
          <Needed failure={failure} reader={reader} />
        ))}
      </ul>
    </section>
  );
}

function Needed({ failure, reader }: { failure: Failure; reader: Reader }) {
  const { need, reason, invoiceId, amount, currency } = failure;
  if (need === null) return null;
  const cause =
    need === 'no_address' && reason !== null
      ? `${capitalize(describeCode(reason))}, no email address`
      : NEED_ROWS[need].words;
  return (
    <li>
      <span class="who">
        <a href={`${reader.root}invoices/${encodeURIComponent(invoiceId)}`}>
          <bdi>{nameOf(failure)}</bdi>
        </a>{' '}
        <span class="soft">{formatMoney(amount, currency, reader.locale)}</span>
        <small>{cause}</small>
      </span>
      <a class="button" href={`${reader.root}needs#${invoiceId}`}>
        {NEED_ROWS[need].action.title}
      </a>
    </li>
  );
}

const TONES = {
  retry: 'open',
  asked: 'waits',
  waiting: 'none',
  needs_attention: 'need',
  stopped: 'none',
} as const;
const STANDINGS = ['retry', 'asked', 'waiting', 'needs_attention', 'stopped'] as const;

function InRecovery({ facts, next, reader }: ShownNow) {
  const { row } = facts;
  const all = unpaidOf(facts, row);
  const stages = STANDINGS.map((standing) => ({ standing, ...unpaidOf(facts, row, standing) }));
  const show = (amount: number) => formatMoney(amount, row.currency, reader.locale);
  const first = next.find(({ nextKind }) => nextKind === 'pay')?.nextAt;
  const there = first?.setZone(reader.zone).setLocale('en');
  const isToday = there?.hasSame(reader.now.setZone(reader.zone), 'day') ?? false;
  return (
    <section class="card flush">
      <div class="head">
        <h3>
          In recovery <span class="soft">all months</span>
        </h3>
      </div>
      <p class="sum">
        <a href={linkTo(reader, row, { state: 'unpaid' })}>{show(all.amount)}</a>{' '}
        <span class="soft">{countInvoices(all, reader.locale)}</span>
      </p>
      <Segments parts={stages.map(({ standing, amount }) => [TONES[standing], amount] as const)} />
      <ul class="rows">
        {stages
          .filter(({ invoices }) => invoices > 0)
          .map(({ standing, invoices, amount }) => (
            <li>
              <span class="who">
                <Key tone={TONES[standing]}>{STANDING_WORDS[standing]}</Key>
                {standing === 'retry' && there && (
                  <span class="soft"> next {there.toFormat(isToday ? 'HH:mm' : 'd LLL, HH:mm')}</span>
                )}
              </span>
              <span class="soft">{invoices.toLocaleString(reader.locale)}</span>
              <a class="amount" href={linkTo(reader, row, { state: standing })}>
                {show(amount)}
              </a>
            </li>
          ))}
      </ul>
    </section>
  );
}

function Scheduled({ facts, next, due, reader }: ShownNow) {
  const { row } = facts;
  const today = reader.now.setZone(reader.zone);
  const shown = next.filter(({ nextAt }) => nextAt && nextAt < today.endOf('day')).slice(0, SHOWN);
  const payments = count(inRow(row, due));
  const until = today.plus({ days: 1 }).toISODate() ?? '';
  return (
    <section class="card flush">
      <div class="head">
        <h3>Scheduled today</h3>
        {payments.invoices > 0 && (
          <a href={linkTo(reader, row, { due: until, next: 'pay', sort: 'next' })}>
            {payments.invoices} {payments.invoices === 1 ? 'payment' : 'payments'} ·{' '}
            {formatMoney(payments.amount, row.currency, reader.locale)}
          </a>
        )}
      </div>
      <ul class="rows">
        {shown.map((failure) => (
          <li>
            <span class="soft">{failure.nextAt?.setZone(reader.zone).toFormat('HH:mm')}</span>
            <span class="who">
              {failure.nextKind === 'pay' ? 'Retry' : describeAction(failure.nextKind ?? '', 'label')},{' '}
              <a href={`${reader.root}invoices/${encodeURIComponent(failure.invoiceId)}`}>
                <bdi>{nameOf(failure)}</bdi>
              </a>
            </span>
            <span class="amount">{formatMoney(failure.amount, failure.currency, reader.locale)}</span>
          </li>
        ))}
        <li class="soft">
          <span>
            {shown.length === 0 && 'Nothing scheduled today. '}
            <a href={`${reader.root}invoices?sort=next`}>View schedule</a>
          </span>
        </li>
      </ul>
    </section>
  );
}

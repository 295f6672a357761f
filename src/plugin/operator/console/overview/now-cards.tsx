/** The present: what needs a person, where unpaid invoices are, and the rest of today. */
import { capitalize } from '../../../../core/base/sentence-case.ts';
import { Key, Segments } from '../../../../core/web/segments.tsx';
import { describeAction } from '../../../actions/action-kinds.ts';
import type { Failure } from '../../../store/reports/money/list-failures.ts';
import { inRow } from '../../figures/exchange.ts';
import { countInvoices } from '../../figures/list-figures.ts';
import { count, unpaidOf } from '../../figures/money-facts.ts';
import { describeCode } from '../../text/describe-code.ts';
import { NEED_ROWS } from '../../text/describe-need.ts';
import { STANDING_WORDS } from '../../text/describe-standing.ts';
import { useReader } from '../page-reader.ts';
import { Count, InvoiceLink, Link, Money } from '../parts/cells.tsx';
import { Amount, invoicesOf, type ShownOverview } from './overview-parts.tsx';

/** Rows of a card. */
export const SHOWN = 3;

export function NowCards(shown: ShownOverview) {
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

function NeedsAttention({ facts, needed }: ShownOverview) {
  const { row } = facts;
  const { locale } = useReader();
  const all = count(inRow(row, facts.needs));
  return (
    <section class="card flush">
      <div class="head">
        <h3>Needs attention</h3>
        {all.invoices > 0 && (
          <Link to="needs">
            {countInvoices(all, locale)} · <Money amount={all.amount} currency={row.currency} />
          </Link>
        )}
      </div>
      <ul class="rows">
        {needed.length === 0 && <li class="soft">No invoices need attention.</li>}
        {needed.map((failure) => (
          <Needed {...failure} />
        ))}
      </ul>
    </section>
  );
}

function Needed(failure: Failure) {
  const { need, reason, invoiceId } = failure;
  if (need === null) return null;
  const cause =
    need === 'no_address' && reason !== null
      ? `${capitalize(describeCode(reason))}, no email address`
      : NEED_ROWS[need].words;
  return (
    <li>
      <span class="who">
        <InvoiceLink id={invoiceId}>
          <bdi>{nameOf(failure)}</bdi>
        </InvoiceLink>{' '}
        <span class="soft">
          <Money {...failure} />
        </span>
        <small>{cause}</small>
      </span>
      <Link class="button" to={`needs#${invoiceId}`}>
        {NEED_ROWS[need].action.title}
      </Link>
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

function InRecovery({ facts, next }: ShownOverview) {
  const { row } = facts;
  const { now, zone, locale } = useReader();
  const all = unpaidOf(facts, row);
  const stages = STANDINGS.map((standing) => ({ standing, ...unpaidOf(facts, row, standing) }));
  const first = next.find(({ nextKind }) => nextKind === 'pay')?.nextAt;
  const there = first?.setZone(zone).setLocale('en');
  const isToday = there?.hasSame(now.setZone(zone), 'day') ?? false;
  return (
    <section class="card flush">
      <div class="head">
        <h3>
          In recovery <span class="soft">all months</span>
        </h3>
      </div>
      <p class="sum">
        <Amount row={row} amount={all.amount} filter={{ state: 'unpaid' }} />{' '}
        <span class="soft">{countInvoices(all, locale)}</span>
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
              <span class="soft">
                <Count of={invoices} />
              </span>
              <Amount class="amount" {...{ row, amount }} filter={{ state: standing }} />
            </li>
          ))}
      </ul>
    </section>
  );
}

function Scheduled({ facts, next, due }: ShownOverview) {
  const { row } = facts;
  const { now, zone } = useReader();
  const today = now.setZone(zone);
  const shown = next.filter(({ nextAt }) => nextAt && nextAt < today.endOf('day')).slice(0, SHOWN);
  const payments = count(inRow(row, due));
  const until = today.plus({ days: 1 }).toISODate() ?? '';
  return (
    <section class="card flush">
      <div class="head">
        <h3>Scheduled today</h3>
        {payments.invoices > 0 && (
          <Link to={invoicesOf(row, { due: until, next: 'pay', sort: 'next' })}>
            {payments.invoices} {payments.invoices === 1 ? 'payment' : 'payments'} ·{' '}
            <Money amount={payments.amount} currency={row.currency} />
          </Link>
        )}
      </div>
      <ul class="rows">
        {shown.map((failure) => (
          <li>
            <span class="soft">{failure.nextAt?.setZone(zone).toFormat('HH:mm')}</span>
            <span class="who">
              {failure.nextKind === 'pay' ? 'Retry' : describeAction(failure.nextKind ?? '', 'label')},{' '}
              <InvoiceLink id={failure.invoiceId}>
                <bdi>{nameOf(failure)}</bdi>
              </InvoiceLink>
            </span>
            <span class="amount">
              <Money {...failure} />
            </span>
          </li>
        ))}
        <li class="soft">
          <span>
            {shown.length === 0 && 'Nothing scheduled today. '}
            <Link to="invoices?sort=next">View schedule</Link>
          </span>
        </li>
      </ul>
    </section>
  );
}

/** The contents of a customer's page, and its facts column. */

import { formatMoney } from '../../../mails/format-money.ts';
import { OWN_ACCOUNT } from '../../../settings/account.ts';
import type { CustomerRecord, CustomerSubscription } from '../../../store/reports/money/customer-record.ts';
import type { Failure } from '../../../store/reports/money/list-failures.ts';
import type { MoneyState } from '../../../store/reports/money/sum-failures.ts';
import type { Forgotten } from '../../../store/tables/forgotten.ts';
import type { CustomerState } from '../../lists/customer-state.ts';
import type { OperationName } from '../../operations/operations.ts';
import type { TimelineEntry } from '../../text/describe-attempt.ts';
import type { OperationPreview } from '../../text/preview-operation.ts';
import type { Reader } from '../page-reader.ts';
import { CardName, Copy, Fact } from '../parts/cells.tsx';
import { Moment } from '../parts/moment.tsx';
import { amountsOf } from './customer-list-view.tsx';

/** What the timeline shows, by the address's `show`. */
export const SHOWN = ['all', 'charges', 'emails', 'decisions'] as const;
export type Show = (typeof SHOWN)[number];

export interface ShownCustomer {
  readonly id: string;
  readonly account: string;
  readonly record: CustomerRecord;
  readonly state: CustomerState;
  readonly failures: readonly Failure[];
  readonly entries: readonly TimelineEntry[];
  readonly show: Show;
  /** The latest open invoice's next step; undefined if nothing is open or all is stopped. */
  readonly nextStep: string | undefined;
  /** When the customer was forgotten, if that is so. */
  readonly forgotten: Forgotten | undefined;
  readonly stripeUrl: string | undefined;
  readonly previewed: ReadonlyMap<OperationName, OperationPreview>;
  /** The session's token for forms. */
  readonly token: string;
  readonly reader: Reader;
}

const SUMS = [
  ['Unpaid', ['open', 'waiting'], 'unpaid'],
  ['Recovered', ['recovered'], 'recovered'],
  ['Lost', ['lost'], 'lost'],
] as const;

export function CustomerFacts({ id, account, record, state, failures, forgotten, reader }: ShownCustomer) {
  const [latest] = failures;
  const sumOf = (states: readonly MoneyState[]) => amountsOf(record.sums, states, reader.locale);
  return (
    <section class="card">
      <h2>Facts</h2>
      <dl class="facts">
        {SUMS.map(([name, states, standing]) => (
          <Fact name={name}>
            {sumOf(states).length === 0 && '–'}
            {sumOf(states).map(({ net, notes }) => (
              <div>
                <a href={`${reader.root}invoices?${new URLSearchParams({ q: id, state: standing })}`}>
                  {net}
                </a>
                {notes.map((note) => (
                  <small>{note}</small>
                ))}
              </div>
            ))}
          </Fact>
        ))}
        {latest && (
          <Fact name="Card">
            <CardName failure={latest} />
            {latest.country !== null && `, ${latest.country}`}
          </Fact>
        )}
        {record.subscriptions.map((one) => (
          <Fact name="Plan">
            {planOf(one)}
            <Price {...one} locale={reader.locale} />
            {one.renewsAt && (
              <small>
                Next renewal <Moment at={one.renewsAt} reader={reader} as="day" />
              </small>
            )}
            <div>
              <code>{one.id}</code> <Copy text={one.id} />
            </div>
          </Fact>
        ))}
        {state.controlGroup && <Fact name="Experiment">Control group</Fact>}
        {forgotten && (
          <Fact name="Erased">
            <Moment at={forgotten.askedAt} reader={reader} />
          </Fact>
        )}
        {account !== OWN_ACCOUNT && (
          <Fact name="Account">
            <code>{account}</code>
          </Fact>
        )}
        <Fact name="Customer">
          <code>{id}</code> <Copy text={id} />
        </Fact>
      </dl>
    </section>
  );
}

/** `, R$79.00 monthly`. */
function Price({ amount, currency, period, periodUnit, locale }: CustomerSubscription & { locale: string }) {
  if (amount === null || currency === null) return null;
  const unit = periodUnit?.replace('BILLING_PERIOD_UNIT_', '').toLowerCase() ?? '';
  const every = period === 1 ? (unit === 'day' ? 'daily' : `${unit}ly`) : `every ${period} ${unit}s`;
  return `, ${formatMoney(amount, currency, locale)} ${every}`;
}

export const planOf = ({ planName, plan }: CustomerSubscription) => planName ?? plan ?? 'Plan not known';

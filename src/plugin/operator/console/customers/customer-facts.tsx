/** The contents of a customer's page, and its facts column. */

import { OWN_ACCOUNT } from '../../../settings/account.ts';
import type { CustomerRecord, CustomerSubscription } from '../../../store/reports/money/customer-record.ts';
import type { Failure } from '../../../store/reports/money/list-failures.ts';
import type { Forgotten } from '../../../store/tables/forgotten.ts';
import type { CustomerState } from '../../lists/customer-state.ts';
import type { OperationName } from '../../operations/operations.ts';
import type { TimelineEntry } from '../../text/describe-attempt.ts';
import type { OperationPreview } from '../../text/preview-operation.ts';
import { CardName, Copied, Disputed, Fact, Link, Moment, Money } from '../parts/cells.tsx';
import { netOf, UNPAID } from './customer-list.tsx';

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
  /** Stops collection, or resumes it. */
  readonly collection: { readonly name: OperationName; readonly previewed: OperationPreview };
  readonly erasing: OperationPreview;
}

const SUMS = [
  ['Unpaid', UNPAID, 'unpaid'],
  ['Recovered', ['recovered'], 'recovered'],
  ['Lost', ['lost'], 'lost'],
] as const;

export function CustomerFacts({ id, account, record, state, failures, forgotten }: ShownCustomer) {
  const [latest] = failures;
  return (
    <section class="card">
      <h2>Facts</h2>
      <dl class="facts">
        {SUMS.map(([name, states, standing]) => {
          const sums = netOf(record.sums, states);
          return (
            <Fact name={name}>
              {sums.length === 0 && '–'}
              {sums.map((sum) => (
                <div>
                  <Link to={`invoices?${new URLSearchParams({ q: id, state: standing })}`}>
                    <Money {...sum} />
                  </Link>
                  <Disputed {...sum} />
                </div>
              ))}
            </Fact>
          );
        })}
        {latest && (
          <Fact name="Card">
            <CardName {...latest} />
            {latest.country !== null && `, ${latest.country}`}
          </Fact>
        )}
        {record.subscriptions.map((one) => (
          <Fact name="Plan">
            {planOf(one)}
            <Price {...one} />
            {one.renewsAt && (
              <small>
                Next renewal <Moment at={one.renewsAt} as="day" />
              </small>
            )}
            <div>
              <Copied text={one.id} />
            </div>
          </Fact>
        ))}
        {state.controlGroup && <Fact name="Experiment">Control group</Fact>}
        {forgotten && (
          <Fact name="Erased">
            <Moment at={forgotten.askedAt} />
          </Fact>
        )}
        {account !== OWN_ACCOUNT && (
          <Fact name="Account">
            <code>{account}</code>
          </Fact>
        )}
        <Fact name="Customer">
          <Copied text={id} />
        </Fact>
      </dl>
    </section>
  );
}

/** `, R$79.00 monthly`. */
function Price({ amount, currency, period, periodUnit }: CustomerSubscription) {
  if (amount === null || currency === null) return null;
  const unit = periodUnit?.replace('BILLING_PERIOD_UNIT_', '').toLowerCase() ?? '';
  const every = period === 1 ? (unit === 'day' ? 'daily' : `${unit}ly`) : `every ${period} ${unit}s`;
  return (
    <>
      , <Money {...{ amount, currency }} /> {every}
    </>
  );
}

export const planOf = ({ planName, plan }: CustomerSubscription) => planName ?? plan ?? 'Plan not known';

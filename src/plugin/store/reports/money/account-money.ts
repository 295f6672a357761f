/** Failed payments of one account, in minor units; one row a currency. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import { DISPUTED, type MoneySum } from './sum-failures.ts';

/** `disputes` count recovered payments only. */
export interface AccountMoney extends Pick<MoneySum, 'disputes' | 'disputed'> {
  readonly currency: string;
  /** Unpaid now, whenever they failed. */
  readonly atRiskInvoices: number;
  readonly atRiskAmount: number;
  readonly recoveredInvoices: number;
  /** Net of refunds and lost disputes. */
  readonly recoveredAmount: number;
  readonly recoveredGross: number;
  /** Unpaid invoices with a planned payment. */
  readonly dueInvoices: number;
  readonly dueAmount: number;
}

export interface MoneyPeriod {
  readonly recoveredSince: DateTime;
  readonly dueUntil: DateTime;
}

export function sumAccountMoney(
  db: Queryable,
  account: string,
  { recoveredSince, dueUntil }: MoneyPeriod,
): Promise<AccountMoney[]> {
  const sums = (name: string, condition: string) =>
    `count(*) filter (where ${condition}) as ${name}_invoices,
     coalesce(sum(amount - returned) filter (where ${condition}), 0)::bigint as ${name}_amount`;
  return db.query<AccountMoney>(
    `select currency, ${sums('at_risk', `state = 'open'`)},
       ${sums('recovered', `state = 'recovered' and ended_at >= $2`)},
       coalesce(sum(amount) filter (where state = 'recovered'), 0)::bigint as recovered_gross, ${DISPUTED},
       ${sums('due', `state = 'open' and next_kind = 'pay' and next_at < $3`)}
     from payment_retry.failures
     where account = $1 and (state = 'open' or state = 'recovered' and ended_at >= $2)
     group by currency order by currency`,
    [account, recoveredSince, dueUntil],
  );
}

import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';

/** A payment denied by the card's holder. */
export interface CardWarning {
  readonly account: string;
  /** Id of the dispute or early fraud warning. */
  readonly id: string;
  readonly chargeId: string;
  readonly fingerprint: string | undefined;
  readonly paymentMethod: string | undefined;
  readonly openedAt: DateTime;
}

/** Records a warning. A lift, in the merchant's favour, covers all warnings of the charge, and stays: events come in any order. */
export async function recordCardWarning(db: Queryable, warning: CardWarning, liftedAt?: DateTime) {
  const { account, id, chargeId, fingerprint, paymentMethod, openedAt } = warning;
  await db.query(
    `insert into payment_retry.card_warnings
       (account, id, charge_id, fingerprint, payment_method, opened_at, lifted_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (account, id) do update
       set lifted_at = coalesce(card_warnings.lifted_at, excluded.lifted_at)`,
    [account, id, chargeId, fingerprint, paymentMethod, openedAt, liftedAt],
  );
}

export interface OpenWarning {
  readonly id: string;
  readonly openedAt: DateTime;
}

/** The latest warning in force against a card, under any payment method. */
export function findOpenWarning(
  db: Queryable,
  account: string,
  card: { readonly fingerprint?: string | undefined; readonly id?: string | undefined },
) {
  return db.find<OpenWarning>(
    `select id, opened_at from payment_retry.card_warnings
     where account = $1 and (fingerprint = $2 or payment_method = $3) and lifted_at is null and not exists (
       select 1 from payment_retry.card_warnings as lifted
       where lifted.account = $1 and lifted.charge_id = card_warnings.charge_id and lifted.lifted_at is not null)
     order by opened_at desc limit 1`,
    [account, card.fingerprint, card.id],
  );
}

/** Payers of failed invoices with their cards and plans, for searches by people. */
import type { Queryable } from '../../../../core/database/database.ts';

export interface Payer {
  readonly customer:
    | { readonly id: string; readonly name: string | null; readonly email: string | null }
    | undefined;
  readonly plans: readonly { readonly id: string; readonly name: string; readonly product: string | null }[];
}

export interface KnownCard {
  readonly id: string;
  readonly last4: string | null;
  readonly country: string | null;
}

/** Replaces known data; forgotten customers are left out. Sorted by id, so that writers lock in one order. */
export async function keepPayer(db: Queryable, account: string, { customer, plans }: Payer) {
  if (customer)
    await db.query(
      `insert into payment_retry.customers as kept (account, id, name, email) values ($1, $2, $3, $4)
       on conflict (account, id) do update set name = excluded.name, email = excluded.email
       where (kept.name, kept.email) is distinct from (excluded.name, excluded.email)`,
      [account, customer.id, customer.name, customer.email],
    );
  if (plans.length > 0)
    await db.query(
      `insert into payment_retry.plans as kept (account, id, name, product)
       select distinct on (p.id) $1, p.* from unnest($2::text[], $3::text[], $4::text[]) as p (id, name, product) order by p.id
       on conflict (account, id) do update set name = excluded.name, product = excluded.product
       where (kept.name, kept.product) is distinct from (excluded.name, excluded.product)`,
      [account, plans.map(({ id }) => id), plans.map(({ name }) => name), plans.map((plan) => plan.product)],
    );
}

/** Keeps a customer's cards, unless the customer is forgotten. */
export async function keepCards(
  db: Queryable,
  { account, customerId }: { readonly account: string; readonly customerId: string | undefined },
  cards: readonly KnownCard[],
) {
  if (cards.length === 0) return;
  await db.query(
    `insert into payment_retry.cards as kept (account, id, last4, country)
     select distinct on (c.id) $1, c.* from unnest($2::text[], $3::text[], $4::text[]) as c (id, last4, country)
     where not payment_retry.is_forgotten($1, $5) order by c.id
     on conflict (account, id) do update set last4 = excluded.last4, country = excluded.country
     where (kept.last4, kept.country) is distinct from (excluded.last4, excluded.country)`,
    [
      account,
      cards.map(({ id }) => id),
      cards.map(({ last4 }) => last4),
      cards.map(({ country }) => country),
      customerId,
    ],
  );
}

/** Plan names by id, of any account. */
export async function listPlanNames(db: Queryable, ids: readonly string[]) {
  const rows = await db.query<{ id: string; name: string }>(
    `select id, name from payment_retry.plans where id = any($1::text[])`,
    [ids],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Name, email address and card of a payer. */
export function findPayerWords(
  db: Queryable,
  { account, customerId, method }: { account: string; customerId: string; method: string | undefined },
) {
  return db.get<{ name: string | null; email: string | null; last4: string | null }>(
    `select max(c.name) as name, max(c.email) as email,
       (select last4 from payment_retry.cards where account = $1 and id = $3) as last4
     from payment_retry.customers c where c.account = $1 and c.id = $2`,
    [account, customerId, method ?? null],
  );
}

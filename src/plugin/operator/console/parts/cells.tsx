/** What pages are written with: links, figures, times, and what lists of failed invoices have in common with the page of one. */

import type { DateTime } from 'luxon';
import type { AnchorHTMLAttributes, ComponentChildren } from 'preact';
import { toIso } from '../../../../core/base/clock.ts';
import { brandName, formatCard } from '../../../mails/format-card.ts';
import { formatMoney } from '../../../mails/format-money.ts';
import { OWN_ACCOUNT } from '../../../settings/account.ts';
import type { Failure } from '../../../store/reports/money/list-failures.ts';
import type { NetSum } from '../../../store/reports/money/sum-failures.ts';
import { describeDisputes } from '../../figures/labels.ts';
import { describeStanding, STANDING_TONES } from '../../text/describe-standing.ts';
import { exactMoment } from '../../text/exact-moment.ts';
import { useReader } from '../page-reader.ts';

type LinkProps = Pick<AnchorHTMLAttributes, 'class' | 'aria-current' | 'aria-label' | 'children'>;

/** A link to a page below the console's root. */
export function Link({ to, class: tone, ...link }: LinkProps & { readonly to: string }) {
  return <a class={tone} href={`${useReader().root}${to}`} {...link} />;
}

/** The address of one of them, below the root. */
export const pageOf = (kind: 'invoices' | 'emails', id: string) => `${kind}/${encodeURIComponent(id)}`;

/** A link to the page of an invoice, by its id or better words. */
export function InvoiceLink({ id, children = id }: { id: string; children?: ComponentChildren }) {
  return <Link to={pageOf('invoices', id)}>{children}</Link>;
}

/** An amount as the reader writes it. */
export function Money({ amount, currency }: { amount: number; currency: string }) {
  return formatMoney(amount, currency, useReader().locale);
}

/** A number as the reader writes it. */
export function Count({ of }: { of: number }) {
  return of.toLocaleString(useReader().locale);
}

/** The open disputes that a sum includes. */
export function Disputed({ currency, ...held }: Pick<NetSum, 'currency' | 'disputes' | 'disputed'>) {
  const words = describeDisputes(held, currency, useReader().locale);
  return words === undefined ? null : <small>{words}</small>;
}

interface MomentProps {
  readonly at: DateTime;
  /** `day`: without the time. `short`: without the year. */
  readonly as?: keyof typeof FORMS | undefined;
}

const FORMS = { exact: 'd LLL yyyy, HH:mm', day: 'd LLL yyyy', short: 'd LLL, HH:mm' };

/** A time in the reader's zone; the pointer shows it in UTC. */
export function Moment({ at, as = 'exact' }: MomentProps) {
  const there = at.setZone(useReader().zone).setLocale('en');
  return (
    <time datetime={toIso(at)} title={exactMoment(at)}>
      {there.toFormat(FORMS[as])}
    </time>
  );
}

export function StateChip(failure: Failure) {
  const { now, zone } = useReader();
  const words = describeStanding(failure, now.setZone(zone));
  return (
    <>
      <span class={`chip ${STANDING_TONES[failure.standing]}`}>{words}</span>
      {failure.disputed > 0 && (
        <>
          {' '}
          <span class="chip warn">
            Open dispute, <Money amount={failure.disputed} currency={failure.currency} />
          </span>
        </>
      )}
    </>
  );
}

interface ShownCustomer {
  readonly account: string;
  readonly customerId: string | null;
  readonly customerName: string | null;
  readonly customerEmail: string | null;
}

export function CustomerLink({ account, customerId, customerName, customerEmail }: ShownCustomer) {
  if (customerId === null) return customerEmail ?? '–';
  return (
    <>
      <Link to={placeOfCustomer({ id: customerId, account })}>
        <bdi>{customerName ?? customerEmail ?? customerId}</bdi>
      </Link>
      {customerName !== null && customerEmail !== null && <small>{customerEmail}</small>}
    </>
  );
}

/** The address of a customer's page, which names the account where it is another's. */
export function placeOfCustomer(
  { id, account }: { readonly id: string; readonly account: string },
  more: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams({ ...(account === OWN_ACCOUNT ? {} : { account }), ...more });
  return `customers/${encodeURIComponent(id)}${query.size === 0 ? '' : `?${query}`}`;
}

export function CardName({ brand, last4 }: Pick<Failure, 'brand' | 'last4'>) {
  if (last4 !== null) return formatCard({ brand: brand ?? undefined, last4 });
  return brand === null ? '–' : brandName(brand);
}

/** An id that can be copied where scripts run. */
export function Copied({ text }: { text: string }) {
  return (
    <>
      <code>{text}</code> <Copy text={text} />
    </>
  );
}

/** The button that copies an id. */
export function Copy({ text }: { text: string }) {
  return (
    <button type="button" class="copy" data-copy={text} aria-label={`Copy ${text}`}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path d="M5.5 5.5h7v7h-7zM10.5 5.5v-2h-7v7h2" />
      </svg>
    </button>
  );
}

/** A line of a list of facts. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

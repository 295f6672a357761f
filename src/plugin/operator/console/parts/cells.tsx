/** What lists of failed invoices have in common with the page of one. */

import type { ComponentChildren } from 'preact';
import { uncapitalize } from '../../../../core/base/sentence-case.ts';
import { describeAction } from '../../../actions/action-kinds.ts';
import { brandName, formatCard } from '../../../mails/format-card.ts';
import { formatMoney } from '../../../mails/format-money.ts';
import { OWN_ACCOUNT } from '../../../settings/account.ts';
import type { Failure } from '../../../store/reports/money/list-failures.ts';
import { CAUSE_WORDS } from '../../figures/labels.ts';
import { NEED_ROWS } from '../../text/describe-need.ts';
import { describeStanding, STANDING_TONES } from '../../text/describe-standing.ts';
import type { Reader } from '../page-reader.ts';
import { Moment } from './moment.tsx';

export function StateChip({ failure, reader }: { failure: Failure; reader: Reader }) {
  const words = describeStanding(failure, reader.now.setZone(reader.zone));
  return (
    <>
      <span class={`chip ${STANDING_TONES[failure.standing]}`}>{words}</span>
      {failure.disputed > 0 && (
        <>
          {' '}
          <span class="chip warn">
            Open dispute, {formatMoney(failure.disputed, failure.currency, reader.locale)}
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
  readonly reader: Reader;
}

export function CustomerLink({ account, customerId, customerName, customerEmail, reader }: ShownCustomer) {
  if (customerId === null) return customerEmail ?? '–';
  const of = account === OWN_ACCOUNT ? '' : `?${new URLSearchParams({ account })}`;
  return (
    <>
      <a href={`${reader.root}customers/${encodeURIComponent(customerId)}${of}`}>
        <bdi>{customerName ?? customerEmail ?? customerId}</bdi>
      </a>
      {customerName !== null && customerEmail !== null && <small>{customerEmail}</small>}
    </>
  );
}

export function CardName({ failure: { brand, last4 } }: { failure: Failure }) {
  if (last4 !== null) return formatCard({ brand: brand ?? undefined, last4 });
  return brand === null ? '–' : brandName(brand);
}

/** The next step, or the end. */
export function NextStep({ failure, reader }: { failure: Failure; reader: Reader }) {
  const [words, at] = nextOf(failure);
  return (
    <>
      {words} {at && <Moment at={at} reader={reader} as="short" />}
    </>
  );
}

function nextOf(failure: Failure): [words: string, at?: Failure['nextAt']] {
  const { nextAt, nextKind, state, cause, endedAt, need, askedAt, stripeAt } = failure;
  if (state === 'recovered' && cause !== null) return [`Paid: ${uncapitalize(CAUSE_WORDS[cause])}`];
  if (state === 'lost' && endedAt !== null) return ['Lost', endedAt];
  if (need !== null) return [NEED_ROWS[need].words];
  if (nextKind !== 'pay' && stripeAt !== null) return ['Stripe’s retry', stripeAt];
  if (nextAt !== null && nextKind !== null) return [describeAction(nextKind, 'label'), nextAt];
  return askedAt === null ? ['No action scheduled'] : ['Asked', askedAt];
}

/** Copies an id where scripts run. */
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

interface FigureProps {
  readonly name: ComponentChildren;
  readonly value: string;
  /** The text next to it. */
  readonly text: string;
}

/** One of a list of figures. */
export function Figure({ name, value, text }: FigureProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong> <span class="soft">{text}</span>
      </dd>
    </div>
  );
}

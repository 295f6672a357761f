/** One month of failed payments on the left, the present on the right. */
import type { DateTime } from 'luxon';
import { AFTER_OBSERVING, describeObserved, OBSERVE_MODE } from '../../checks/describe-observed.ts';
import { nameMonth, nameRow } from '../../figures/list-figures.ts';
import type { Reader } from '../page-reader.ts';
import { MonthCards, OutcomeByMonth } from './month-cards.tsx';
import { NowCards } from './now-cards.tsx';
import { before, overviewOf, type ShownOverview } from './overview-parts.tsx';

export function OverviewView(shown: ShownOverview) {
  const { facts, status, observed, reader } = shown;
  const [missed] = status.missedWebhooks;
  return (
    <>
      <h1 class="unseen">Overview</h1>
      {missed && <WebhooksStopped since={missed.since} reader={reader} />}
      {observed && (
        <p class="card note" role="status">
          {OBSERVE_MODE}; {describeObserved(observed)}; {AFTER_OBSERVING}.
        </p>
      )}
      <div class="overview">
        <div class="column">
          <div class="zone">
            <Stepper {...shown} />
            <Comparison {...shown} />
          </div>
          {facts.rows.length > 1 && <Currencies facts={facts} reader={reader} />}
          <MonthCards {...shown} />
          {facts.rows.length > 0 && <OutcomeByMonth {...shown} />}
        </div>
        <div class="column">
          <div class="zone">
            <h2>Now</h2>
            <span class="soft">
              {reader.now.setZone(reader.zone).setLocale('en').toFormat('ccc d LLLL, HH:mm')}
            </span>
          </div>
          <NowCards {...shown} />
        </div>
      </div>
    </>
  );
}

function WebhooksStopped({ since, reader }: { since: DateTime; reader: Reader }) {
  const minutes = Math.round(reader.now.diff(since).as('minutes'));
  return (
    <div class="banner" role="status">
      <p>
        <b>
          No webhooks from Stripe since {since.setZone(reader.zone).toFormat('HH:mm')} ({minutes} minutes)
        </b>
        <br />
        New failures and payments may be missing. Retries continue: each invoice is checked in Stripe before a
        charge.
      </p>
      <a class="button" href={`${reader.root}deliveries#missedWebhooks`}>
        Fix webhooks
      </a>
    </div>
  );
}

function Stepper(shown: ShownOverview) {
  const { month, months } = shown.facts;
  const at = months.indexOf(month);
  return (
    <nav class="stepper" aria-label="Month">
      <Step {...shown} to={months[at - 1]} name="Previous month" sign="‹" />
      <details class="menu">
        <summary>
          <h2>{nameMonth(month)}</h2>
        </summary>
        <ul>
          {[...months].reverse().map((one) => (
            <li>
              <a
                href={overviewOf(shown, { month: one, compare: undefined })}
                aria-current={one === month ? 'date' : undefined}
              >
                {nameMonth(one)}
              </a>
            </li>
          ))}
        </ul>
      </details>
      <Step {...shown} to={months[at + 1]} name="Next month" sign="›" />
    </nav>
  );
}

type StepProps = ShownOverview & {
  readonly to: string | undefined;
  readonly name: string;
  readonly sign: string;
};

function Step({ to, name, sign, ...shown }: StepProps) {
  if (to === undefined)
    return (
      // biome-ignore lint/a11y/useValidAnchor: a link without a place, as there is no such month
      <a class="button" role="link" aria-disabled="true" aria-label={`${name}: no data`}>
        {sign}
      </a>
    );
  return (
    <a class="button" href={overviewOf(shown, { month: to, compare: undefined })} aria-label={name}>
      {sign}
    </a>
  );
}

/** A month in progress is compared with none. */
function Comparison(shown: ShownOverview) {
  const { facts, compared } = shown;
  if (facts.month === facts.months.at(-1)) return null;
  const choices: readonly (readonly [string, string])[] = [
    ['Previous month', before(facts.month, 1)],
    ['3 months ago', before(facts.month, 3)],
    ['Last year', before(facts.month, 12)],
    ['No comparison', 'none'],
  ];
  return (
    <details class="menu end">
      <summary>
        {compared === undefined ? (
          'Compare'
        ) : (
          <>
            Compared <span class="far">with {nameMonth(compared)}</span>
          </>
        )}
      </summary>
      <ul>
        {choices.map(([name, compare]) => (
          <li>
            <a
              href={overviewOf(shown, { compare })}
              aria-current={compare === (compared ?? 'none') ? 'true' : undefined}
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Currencies without a rate have figures of their own. */
function Currencies({ facts, reader }: Pick<ShownOverview, 'facts' | 'reader'>) {
  return (
    <nav class="tabs" aria-label="Currency">
      {facts.rows.map((row) => (
        <a
          href={`${reader.root}?${new URLSearchParams({ month: facts.month, currency: row.currency })}`}
          aria-current={row === facts.row ? 'true' : undefined}
        >
          {nameRow(row)}
        </a>
      ))}
    </nav>
  );
}

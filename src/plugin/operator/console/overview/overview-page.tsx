/** One month of failed payments on the left, the present on the right. */
import type { DateTime } from 'luxon';
import { OWN_ACCOUNT } from '../../../settings/account.ts';
import { countKnownSubscriptions } from '../../../store/reports/counters.ts';
import { readMonthCost } from '../../../store/reports/money/failure-months.ts';
import { listFailures, sumListed } from '../../../store/reports/money/list-failures.ts';
import { readObserved } from '../../../store/reports/observed.ts';
import { AFTER_OBSERVING, describeObserved, OBSERVE_MODE } from '../../checks/describe-observed.ts';
import { toFactors } from '../../figures/exchange.ts';
import { nameMonth, nameRow } from '../../figures/list-figures.ts';
import { readMoneyFacts } from '../../figures/money-facts.ts';
import type { Page } from '../page-answer.ts';
import { useReader } from '../page-reader.ts';
import { Link } from '../parts/cells.tsx';
import { MonthCards, OutcomeByMonth } from './month-cards.tsx';
import { NowCards, SHOWN } from './now-cards.tsx';
import { before, moneyQuery, overviewOf, type ShownOverview } from './overview-parts.tsx';

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

export const overviewPage: Page = async ({ database, config }, { request, reader, status }) => {
  const { compare, months } = request.query;
  const facts = await readMoneyFacts(database, moneyQuery(config, request), reader.now, [
    'all',
    'recovered',
    'failed',
    'paid',
  ]);
  const tomorrow = reader.now.setZone(config.timeZone).plus({ days: 1 }).startOf('day').toISO() ?? '';
  const due = { dueBefore: tomorrow, nextKind: 'pay' };
  const latest = { sort: 'failed', limit: SHOWN } as const;
  const shown = {
    facts,
    status,
    cost: await readMonthCost(database, facts.span),
    needed: await listFailures(database, { standing: 'needs_attention' }, latest),
    next: await listFailures(database, {}, { ...latest, sort: 'next' }),
    due: (await sumListed(database, due, toFactors(config.exchangeRates))) ?? [],
    observed: config.mode === 'observe' ? await readObserved(database) : undefined,
    subscriptions: await countKnownSubscriptions(database, OWN_ACCOUNT),
    compared: compare === undefined ? before(facts.month, 1) : MONTH.exec(String(compare))?.[0],
    isWhole: months === 'all',
  };
  return { title: 'Overview', here: 'overview', isLive: true, main: <Overview {...shown} /> };
};

function Overview(shown: ShownOverview) {
  const { facts, status, observed } = shown;
  const { now, zone } = useReader();
  const [missed] = status.missedWebhooks;
  return (
    <>
      <h1 class="unseen">Overview</h1>
      {missed && <WebhooksStopped since={missed.since} />}
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
          {facts.rows.length > 1 && <Currencies {...facts} />}
          <MonthCards {...shown} />
          {facts.rows.length > 0 && <OutcomeByMonth {...shown} />}
        </div>
        <div class="column">
          <div class="zone">
            <h2>Now</h2>
            <span class="soft">{now.setZone(zone).setLocale('en').toFormat('ccc d LLLL, HH:mm')}</span>
          </div>
          <NowCards {...shown} />
        </div>
      </div>
    </>
  );
}

function WebhooksStopped({ since }: { since: DateTime }) {
  const { now, zone } = useReader();
  const minutes = Math.round(now.diff(since).as('minutes'));
  return (
    <div class="banner" role="status">
      <p>
        <b>
          No webhooks from Stripe since {since.setZone(zone).toFormat('HH:mm')} ({minutes} minutes)
        </b>
        <br />
        New failures and payments may be missing. Retries continue: each invoice is checked in Stripe before a
        charge.
      </p>
      <Link class="button" to="deliveries#missedWebhooks">
        Fix webhooks
      </Link>
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
              <Link
                to={overviewOf(shown, { month: one, compare: undefined })}
                aria-current={one === month ? 'date' : undefined}
              >
                {nameMonth(one)}
              </Link>
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
    <Link class="button" to={overviewOf(shown, { month: to, compare: undefined })} aria-label={name}>
      {sign}
    </Link>
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
            <Link
              to={overviewOf(shown, { compare })}
              aria-current={compare === (compared ?? 'none') ? 'true' : undefined}
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Currencies without a rate have figures of their own. */
function Currencies({ month, row, rows }: ShownOverview['facts']) {
  return (
    <nav class="tabs" aria-label="Currency">
      {rows.map((one) => (
        <Link
          to={`?${new URLSearchParams({ month, currency: one.currency })}`}
          aria-current={one === row ? 'true' : undefined}
        >
          {nameRow(one)}
        </Link>
      ))}
    </nav>
  );
}

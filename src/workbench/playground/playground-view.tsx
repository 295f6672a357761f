/** The page: the customers, the story of what happens, and their email. */
import type { DateTime } from 'luxon';
import { renderDocument } from '../../core/web/page-document.tsx';
import { LINKS_OPEN } from '../../core/web/page-protection.ts';
import type { OutgoingMail } from '../../plugin/clients/mailer.ts';
import type { Tone } from '../customers/text/printer.ts';
import type { OwnTestWorld } from '../testing/test-world.ts';
import { PLAYGROUND_STYLE } from './playground-style.ts';
import { type Shop, type ShownCustomer, TROUBLES } from './shop.ts';
import { type ShopClock, SPEEDS } from './shop-clock.ts';

export interface Shown {
  readonly world: OwnTestWorld;
  readonly shop: Shop;
  readonly clock: ShopClock;
  readonly now: () => DateTime<true>;
  /** What happened, the oldest first. */
  readonly story: readonly StoryLine[];
  /** The oldest first. */
  readonly emails: readonly ArrivedEmail[];
}

export interface StoryLine {
  readonly when: string;
  /** Empty where it is nobody's. */
  readonly who: string;
  readonly what: string;
  readonly tone: Tone;
}

export interface ArrivedEmail {
  readonly when: string;
  readonly email: OutgoingMail;
}

/** Path relative to the playground's root. */
const CONSOLE = 'payment-retry/console/';
/** The most lines and emails shown, the latest first. */
const MOST_SHOWN = 100;

export function renderPlayground(shown: Shown): string {
  const { shop, story, emails } = shown;
  return renderDocument({
    title: 'Payment Retry playground',
    styles: [PLAYGROUND_STYLE],
    body: (
      <>
        <Header shown={shown} />
        <main>
          <p id="gone" class="bad" role="alert" hidden>
            The playground has ended. What you see is how it was.
          </p>
          <Guide shown={shown} />
          <div class="desk">
            <section aria-labelledby="happened">
              <h2 id="happened">What happens</h2>
              <ol id="story" class="card story" data-list="yes" aria-live="polite" aria-labelledby="happened">
                {numbered(story).map((line) => (
                  <Line {...line} />
                ))}
              </ol>
            </section>
            <section aria-labelledby="email">
              <h2 id="email">Mailbox of all customers</h2>
              <div id="no-email" data-live="yes">
                {emails.length === 0 && <p class="card empty">No email yet.</p>}
              </div>
              <ul id="emails" class="emails" data-list="yes" aria-live="polite">
                {numbered(emails).map((email) => (
                  <Email {...email} isOpen={email.number === 1} />
                ))}
              </ul>
            </section>
            <section aria-labelledby="customers">
              <h2 id="customers">Customers</h2>
              <ul class="people">
                {shop.list().map((customer) => (
                  <Customer customer={customer} />
                ))}
              </ul>
            </section>
          </div>
        </main>
        <script src="playground.js" defer />
      </>
    ),
  });
}

interface Numbered<Item> {
  readonly item: Item;
  /** Starts at 1. */
  readonly number: number;
}

/** The latest first. */
function numbered<Item>(items: readonly Item[]): Numbered<Item>[] {
  return items
    .map((item, index) => ({ item, number: index + 1 }))
    .slice(-MOST_SHOWN)
    .reverse();
}

function Header({ shown: { clock, now } }: { shown: Shown }) {
  return (
    <header>
      <h1>Northwind Tea, a simulated shop</h1>
      <p id="clock" class="clock" data-live="yes">
        {now().toFormat('ccc d LLL yyyy, HH:mm')} UTC
      </p>
      <form
        id="speeds"
        class="speeds"
        method="post"
        action="controls"
        aria-label="Speed of the clock"
        data-live="yes"
      >
        <input type="hidden" name="act" value="speed" />
        {[...SPEEDS].map(([name, { label }]) => (
          <SpeedButton name={name} label={label} isChosen={clock.speed() === name} />
        ))}
      </form>
      <form method="post" action="controls">
        <button type="submit" class="main" name="act" value="next">
          Next event
        </button>
      </form>
      <a class="links" href={CONSOLE} target="payment-retry-console">
        Merchant’s console
      </a>
    </header>
  );
}

function SpeedButton({ name, label, isChosen }: { name: string; label: string; isChosen: boolean }) {
  return (
    <button type="submit" id={`speed-${name}`} name="value" value={name} aria-pressed={isChosen}>
      {label}
    </button>
  );
}

function Guide({ shown: { world, shop, story, emails } }: { shown: Shown }) {
  const { invoices } = world.sandbox.state;
  const has = (wanted: string, key: string) =>
    world.events.some(
      ({ type, invoice }) =>
        type === wanted && invoices.get(invoice ?? '')?.customer === shop.find(key).customerId,
    );
  const steps = [
    [
      'A renewal fails',
      'Press “Next event”: time goes on until something happens.',
      story.some(({ tone }) => tone === 'bad'),
    ],
    [
      'The plugin writes to the customer',
      'Ben’s card is lost, so only he can help. His email comes into the mailbox.',
      emails.length > 0,
    ],
    [
      'The customer gives a new card, which pays',
      'You are Ben: press the button in the email, and choose a card.',
      has('recovered', 'ben'),
    ],
    [
      'The plugin tries again',
      'Ada was short of money. “Next event” goes on to the next try.',
      has('attempted', 'ada'),
    ],
  ] as const;
  return (
    <ol id="guide" class="guide" data-live="yes" aria-label="What to try">
      {steps.map(([title, text, isDone]) => (
        <li class={isDone ? 'card done' : 'card'}>
          <b>
            {title}
            {isDone && ' – done'}
          </b>
          <span class="soft">{text}</span>
        </li>
      ))}
    </ol>
  );
}

function Customer({ customer }: { customer: ShownCustomer }) {
  const { key, name, plan, card, status, open, renewsAt, trouble } = customer;
  const isOver = renewsAt === undefined;
  return (
    <li id={`customer-${key}`} class="card" data-live="yes">
      <h3>
        {name}{' '}
        <span class={`chip ${status === 'active' ? 'good' : 'bad'}`}>{status.replaceAll('_', ' ')}</span>
      </h3>
      <p class="soft">{plan}</p>
      <p>
        Card: {card}
        {trouble !== undefined && <span class="bad"> ({trouble})</span>}
      </p>
      {open !== undefined && <p class="bad">{open} unpaid</p>}
      {renewsAt && <p class="soft">Renews {renewsAt.toFormat('ccc d LLL, HH:mm')}</p>}
      <form class="acts" method="post" action="controls" aria-label={name}>
        <input type="hidden" name="customer" value={key} />
        {!isOver && (
          <>
            <label for={`trouble-${key}`}>
              At the next payment the card is
              <select id={`trouble-${key}`} name="value">
                {[...TROUBLES].map(([code, { meaning }]) => (
                  <option value={code}>{meaning}</option>
                ))}
              </select>
            </label>
            <Act name="fail" of={key} label="Let it fail" />
            <Act name="renew" of={key} label="Renew now" />
          </>
        )}
        <Act name="card" of={key} label="Give a new card" />
        {!isOver && <Act name="cancel" of={key} label="Cancel" />}
      </form>
    </li>
  );
}

function Act({ name, of, label }: { name: string; of: string; label: string }) {
  return (
    <button type="submit" id={`${name}-${of}`} name="act" value={name}>
      {label}
    </button>
  );
}

function Line({ item: { when, who, what, tone }, number }: Numbered<StoryLine>) {
  return (
    <li id={`line-${number}`} class={tone}>
      <time>{when}</time> {who !== '' && <b>{who}: </b>}
      <span>{what}</span>
    </li>
  );
}

function Email({ item: { when, email }, number, isOpen }: Numbered<ArrivedEmail> & { isOpen: boolean }) {
  const { to, subject } = email;
  return (
    <li id={`email-${number}`} class="card">
      <details open={isOpen}>
        <summary>
          {subject}{' '}
          <small>
            {when}, to {to}
          </small>
        </summary>
        <iframe title={`Email: ${subject}`} src={`emails/${number}`} sandbox={LINKS_OPEN} loading="lazy" />
      </details>
    </li>
  );
}

/** The frame of every page of the console. */
import type { ComponentChildren } from 'preact';
import { beginSentence } from '../../../core/base/sentence-case.ts';
import { HiddenFields, renderDocument } from '../../../core/web/page-document.tsx';
import type { SystemState } from '../text/status/describe-status.ts';
import { CONSOLE_STYLE } from './console-style.ts';
import { LIVE_NAME } from './live-script.ts';
import { type OperationAnswer, type Reader, ReaderContext, useReader } from './page-reader.ts';
import { Link } from './parts/cells.tsx';
import { MarkedWords } from './parts/marked-words.tsx';

const MENU = [
  { page: 'overview', text: 'Overview' },
  { page: 'needs', text: 'Needs attention' },
  { page: 'invoices', text: 'Invoices' },
  { page: 'customers', text: 'Customers' },
] as const;

/** Entries shown in the bar where there is room, else in its menu. */
const ROOMY = [
  { page: 'emails', text: 'Emails' },
  { page: 'audit', text: 'Audit' },
] as const;

const SYSTEM = [
  { page: 'reports', text: 'Reports' },
  { page: 'deliveries', text: 'System status' },
  { page: 'checks', text: 'Checks' },
  { page: 'timing', text: 'Experiment' },
  { page: 'settings', text: 'Settings' },
] as const;

type Entry = (typeof MENU)[number] | (typeof ROOMY)[number] | (typeof SYSTEM)[number];

export interface ConsolePage {
  readonly title: string;
  readonly main: ComponentChildren;
  /** Which entry of the menu it is. */
  readonly here?: Entry['page'];
  /** Whether a newer one takes its place while it is open. */
  readonly isLive?: boolean;
  /** Whether a document of ours is shown in a frame of it. */
  readonly hasFrame?: boolean;
}

/** Everything around a page. */
export interface Surroundings {
  /** Whose customers these are. */
  readonly merchant: string | undefined;
  /** Undefined where the key does not tell. */
  readonly isLive: boolean | undefined;
  /** Words on the installation, such as its mode. */
  readonly installation: readonly string[];
  /** The currency of sums over several currencies. */
  readonly currency: string | undefined;
  readonly system: SystemState;
  /** Invoices that need a person. */
  readonly needs: number;
  /** What nobody may overlook, on every page. */
  readonly alarms: readonly string[];
}

export function renderConsolePage(page: ConsolePage, around: Surroundings, reader: Reader): string {
  const { title, main, here, isLive = false } = page;
  const { root, token, name, role, answer, kept } = reader;
  return renderConsoleDocument(
    title,
    <ReaderContext.Provider value={reader}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header here={here} {...around} />
      <div class="alarms">
        {around.alarms.map((alarm) => (
          <p class="alarm" role="alert">
            {alarm}
          </p>
        ))}
      </div>
      <main id="main" data-live={isLive && !answer ? 'yes' : undefined}>
        {answer && <Answer {...answer} />}
        {kept.do !== undefined && (
          <p class="card warn" role="status">
            Nothing was done yet: look at the form once more, and confirm it again.
          </p>
        )}
        {main}
      </main>
      <footer>
        <p>{describeBasis(reader, around.currency)}</p>
        <form class="out" method="post" action={`${root}logout`}>
          {[...around.installation, `${name}, ${role}`].join(' · ')}
          <HiddenFields fields={{ token }} />
          <button type="submit" class="plain">
            Sign out
          </button>
        </form>
      </footer>
      <script src={`${root}${LIVE_NAME}`} data-root={root} defer />
    </ReaderContext.Provider>,
  );
}

function describeBasis({ zone }: Reader, currency: string | undefined): string {
  const converted =
    currency === undefined ? '' : ` Amounts in ${nameCurrency(currency)}, converted and rounded per invoice.`;
  return `Times and months: ${zone}.${converted} Refunds and lost disputes excluded.`;
}

/** `US dollars`. */
function nameCurrency(currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'name' });
  return format.formatToParts(2).find(({ type }) => type === 'currency')?.value ?? currency.toUpperCase();
}

function Answer({ title, isGood, lines, back, undo }: OperationAnswer) {
  const { root, token } = useReader();
  return (
    <div class={`answer card ${isGood ? 'good' : 'warn'}`} role="status">
      <h2>{title}</h2>
      {lines.map((line) => (
        <p>
          <MarkedWords text={beginSentence(line)} />
        </p>
      ))}
      {undo !== undefined && (
        <form method="post" action={`${root}operations/undo`}>
          <HiddenFields fields={{ ...undo, token, back }} />
          <button type="submit" class="quiet">
            Undo
          </button>
        </form>
      )}
      <p>
        <Link to={back}>Close</Link>
      </p>
    </div>
  );
}

type HeaderProps = Surroundings & { here: ConsolePage['here'] };

function Header({ here, merchant, isLive, system, needs }: HeaderProps) {
  const { root } = useReader();
  const isHere = (entries: readonly Entry[]) => entries.some(({ page }) => page === here);
  return (
    <header>
      <div class="bar">
        <Link class="brand" to="">
          <bdi>{merchant ?? 'Payment Retry'}</bdi>
        </Link>
        {/* Nobody takes test money for real money. */}
        {isLive !== undefined && <span class="tag">{isLive ? 'Live' : 'Test'}</span>}
        <nav aria-label="Pages">
          <ul>
            <Entries entries={MENU} {...{ here, needs }} />
            <Entries entries={ROOMY} here={here} tone="roomy" />
            <li>
              <details class="menu">
                <summary class={isHere(SYSTEM) ? 'here' : undefined}>
                  <span class="roomy">System</span>
                  <span class="tight">More</span>
                </summary>
                <ul>
                  <Entries entries={ROOMY} here={here} tone="tight" />
                  <Entries entries={SYSTEM} here={here} />
                </ul>
              </details>
            </li>
          </ul>
        </nav>
        <search>
          <form class="find" method="get" action={`${root}invoices`}>
            <input
              name="id"
              aria-label="Search"
              type="search"
              placeholder="Search"
              required
              maxLength={255}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
            />
          </form>
        </search>
        <Link class={`system ${system.tone}`} to="deliveries">
          <svg width="8" height="8" aria-hidden="true">
            <circle cx="4" cy="4" r="4" />
          </svg>{' '}
          {system.words}
        </Link>
      </div>
    </header>
  );
}

type EntriesProps = Pick<HeaderProps, 'here'> & {
  readonly entries: readonly Entry[];
  readonly needs?: number;
  readonly tone?: string;
};

function Entries({ entries, here, needs = 0, tone }: EntriesProps) {
  return entries.map(({ page, text }) => (
    <li class={tone}>
      <Link to={page === 'overview' ? '' : page} aria-current={page === here ? 'page' : undefined}>
        {text}
        {page === 'needs' && needs > 0 && <b class="badge">{needs}</b>}
      </Link>
    </li>
  ));
}

/** A page for those who are not signed in. */
export function renderOuterPage({ title, main }: Pick<ConsolePage, 'title' | 'main'>): string {
  return renderConsoleDocument(
    title,
    <main class="outer" id="main">
      {main}
    </main>,
  );
}

/** An error page: what happened, and what to do. */
export function Notice({ title, sentences }: { title: string; sentences: readonly string[] }) {
  return (
    <>
      <h1>{title}</h1>
      {sentences.map((sentence) => (
        <p>{sentence}</p>
      ))}
    </>
  );
}

function renderConsoleDocument(title: string, body: ComponentChildren): string {
  return renderDocument({ title: `${title} · Payment Retry`, styles: [CONSOLE_STYLE], body });
}

/** The frame of every page of the console. */
import type { ComponentChildren } from 'preact';
import { beginSentence } from '../../../core/base/sentence-case.ts';
import { HiddenFields, renderDocument } from '../../../core/web/page-document.tsx';
import type { Role } from '../../../core/web/sign-in/operators.ts';
import type { SystemState } from '../text/status/describe-status.ts';
import { CONSOLE_STYLE } from './console-style.ts';
import { LIVE_NAME } from './live-script.ts';
import type { Reader } from './page-reader.ts';
import { MarkedWords } from './parts/marked-words.tsx';
import { type KeptForm, KeptForms, ReaderRole, type RowAnswer, RowAnswers } from './parts/operation-form.tsx';

const MENU = [
  { page: 'overview', path: '', text: 'Overview' },
  { page: 'needs', path: 'needs', text: 'Needs attention' },
  { page: 'invoices', path: 'invoices', text: 'Invoices' },
  { page: 'customers', path: 'customers', text: 'Customers' },
] as const;

/** Entries shown in the bar where there is room, else in its menu. */
const ROOMY = [
  { page: 'emails', path: 'emails', text: 'Emails' },
  { page: 'audit', path: 'audit', text: 'Audit' },
] as const;

const SYSTEM = [
  { page: 'reports', path: 'reports', text: 'Reports' },
  { page: 'deliveries', path: 'deliveries', text: 'System status' },
  { page: 'checks', path: 'checks', text: 'Checks' },
  { page: 'timing', path: 'timing', text: 'Experiment' },
  { page: 'settings', path: 'settings', text: 'Settings' },
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
  /** Styles in addition to the console's. */
  readonly style?: string;
}

/** What an operation came to, which is shown above the page of the form that asked for it. */
export interface OperationAnswer {
  readonly status: number;
  readonly title: string;
  readonly isGood: boolean;
  readonly lines: readonly string[];
  /** The page without it, below the root. */
  readonly back: string;
  /** Answers by account and id, where several rows were chosen. */
  readonly rowAnswers?: Readonly<Record<string, RowAnswer>>;
  /** What `undo` takes, where it can be undone. */
  readonly undo?: Readonly<Record<string, string>> | undefined;
}

/** Everything around a page. */
export interface Surroundings {
  /** How the page names the console's root. */
  readonly root: string;
  readonly token: string;
  /** Who is signed in. */
  readonly operator: string;
  readonly role: Role;
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
  /** The answer to a form of the page. */
  readonly answer: OperationAnswer | undefined;
  /** What somebody had entered when the session was over. */
  readonly kept: KeptForm;
  readonly reader: Reader;
}

export function renderConsolePage(page: ConsolePage, around: Surroundings): string {
  const { title, main, here, style, isLive = false } = page;
  return renderConsoleDocument(
    title,
    <>
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
      <main id="main" data-live={isLive && !around.answer ? 'yes' : undefined}>
        {around.answer && <Answer answer={around.answer} reader={around.reader} token={around.token} />}
        {around.kept.do !== undefined && (
          <p class="card warn" role="status">
            Nothing was done yet: look at the form once more, and confirm it again.
          </p>
        )}
        <ReaderRole.Provider value={around.role}>
          <RowAnswers.Provider value={around.answer?.rowAnswers ?? {}}>
            <KeptForms.Provider value={around.kept}>{main}</KeptForms.Provider>
          </RowAnswers.Provider>
        </ReaderRole.Provider>
      </main>
      <footer>
        <p>{describeBasis(around)}</p>
        <form class="out" method="post" action={`${around.root}logout`}>
          {[...around.installation, `${around.operator}, ${around.role}`].join(' · ')}
          <HiddenFields fields={{ token: around.token }} />
          <button type="submit" class="plain">
            Sign out
          </button>
        </form>
      </footer>
      <script src={`${around.root}${LIVE_NAME}`} data-root={around.root} defer />
    </>,
    style === undefined ? [] : [style],
  );
}

function describeBasis({ reader, currency }: Surroundings): string {
  const converted =
    currency === undefined ? '' : ` Amounts in ${nameCurrency(currency)}, converted and rounded per invoice.`;
  return `Times and months: ${reader.zone}.${converted} Refunds and lost disputes excluded.`;
}

/** `US dollars`. */
function nameCurrency(currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'name' });
  return format.formatToParts(2).find(({ type }) => type === 'currency')?.value ?? currency.toUpperCase();
}

type AnswerProps = Pick<Surroundings, 'reader' | 'token'> & { readonly answer: OperationAnswer };

function Answer({ answer, reader, token }: AnswerProps) {
  const { title, isGood, lines, back, undo } = answer;
  return (
    <div class={`answer card ${isGood ? 'good' : 'warn'}`} role="status">
      <h2>{title}</h2>
      {lines.map((line) => (
        <p>
          <MarkedWords text={beginSentence(line)} reader={reader} />
        </p>
      ))}
      {undo !== undefined && (
        <form method="post" action={`${reader.root}operations/undo`}>
          <HiddenFields fields={{ ...undo, token, back }} />
          <button type="submit" class="quiet">
            Undo
          </button>
        </form>
      )}
      <p>
        <a href={`${reader.root}${back}`}>Close</a>
      </p>
    </div>
  );
}

type HeaderProps = Surroundings & { here: ConsolePage['here'] };

function Header({ here, root, merchant, isLive, system, needs }: HeaderProps) {
  const isHere = (entries: readonly Entry[]) => entries.some(({ page }) => page === here);
  return (
    <header>
      <div class="bar">
        <a class="brand" href={root}>
          <bdi>{merchant ?? 'Payment Retry'}</bdi>
        </a>
        {/* Nobody takes test money for real money. */}
        {isLive !== undefined && <span class="tag">{isLive ? 'Live' : 'Test'}</span>}
        <nav aria-label="Pages">
          <ul>
            <Entries entries={MENU} {...{ here, root, needs }} />
            <Entries entries={ROOMY} here={here} root={root} tone="roomy" />
            <li>
              <details class="menu">
                <summary class={isHere(SYSTEM) ? 'here' : undefined}>
                  <span class="roomy">System</span>
                  <span class="tight">More</span>
                </summary>
                <ul>
                  <Entries entries={ROOMY} here={here} root={root} tone="tight" />
                  <Entries entries={SYSTEM} here={here} root={root} />
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
        <a class={`system ${system.tone}`} href={`${root}deliveries`}>
          <svg width="8" height="8" aria-hidden="true">
            <circle cx="4" cy="4" r="4" />
          </svg>{' '}
          {system.words}
        </a>
      </div>
    </header>
  );
}

type EntriesProps = Pick<HeaderProps, 'here' | 'root'> & {
  readonly entries: readonly Entry[];
  readonly needs?: number;
  readonly tone?: string;
};

function Entries({ entries, here, root, needs = 0, tone }: EntriesProps) {
  return entries.map(({ page, path, text }) => (
    <li class={tone}>
      <a href={`${root}${path}`} aria-current={page === here ? 'page' : undefined}>
        {text}
        {page === 'needs' && needs > 0 && <b class="badge">{needs}</b>}
      </a>
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

function renderConsoleDocument(
  title: string,
  body: ComponentChildren,
  styles: readonly string[] = [],
): string {
  return renderDocument({ title: `${title} · Payment Retry`, styles: [CONSOLE_STYLE, ...styles], body });
}

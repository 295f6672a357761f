import type { DateTime } from 'luxon';
import type { ComponentChildren } from 'preact';
import { renderDocument } from '../../../core/web/page-document.tsx';
import { pageStyle } from '../../../core/web/page-style.ts';
import { brandColors } from '../../mails/brand-colors.ts';
import { cleanName } from '../../mails/clean-name.ts';
import {
  type Consequence,
  describeConsequence,
  describeDetails,
  formatSums,
  type OwedAmount,
  paysAll,
} from '../../mails/customer-email.ts';
import type { PaidWith } from '../../mails/format-card.ts';
import { formatTime } from '../../mails/format-time.ts';
import { FALLBACK_LANGUAGE, findLocale, translationOf } from '../../mails/languages.ts';
import type { PageState, PageTexts } from '../../mails/page-texts.ts';

export const PAGE_STYLE = pageStyle(`
body { min-height: 100vh; display: grid; place-items: center; padding: 1rem; }
main { width: 100%; max-width: 30rem; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
.brand { margin: 0 0 1.5rem; font-weight: 600; }
.brand img { display: block; height: 40px; max-width: 220px; margin: 0 0 .75rem; }
h1 { margin-bottom: 1rem; font-size: 1.5rem; }
p { margin-bottom: 1rem; }
p:last-child { margin: 0; }
.note { font-size: .875rem; }
button { width: 100%; margin: .5rem 0 1.5rem; padding: .875rem 1rem; border-width: 2px; }
form:last-child button { margin-bottom: 0; }
form[action] { margin-top: 1.5rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
form[action] p { margin: 0; }
button.other { color: var(--text); background: transparent; border-color: var(--soft); }
`);

export interface PageFacts {
  /** BCP 47 tag; English if it has no texts. */
  readonly locale: string;
  readonly merchantName?: string | undefined;
  /** Open amounts. */
  readonly owed?: readonly OwedAmount[] | undefined;
  /** Name known to customers. */
  readonly plan?: string | undefined;
  /** Method of the failed payment. */
  readonly paidWith?: PaidWith | undefined;
  readonly consequence?: Consequence | undefined;
  /** The subscription that may be paused instead. */
  readonly pausable?: string | undefined;
  /** The payment starts the ended subscription again. */
  readonly resumes?: boolean | undefined;
  readonly look?: PageLook | undefined;
  /** End of the link, and the reader's IANA zone. */
  readonly end?: { at: DateTime; zone: string } | undefined;
}

export interface PageLook {
  readonly color: string | undefined;
  /** An https address. */
  readonly logoUrl: string | undefined;
}

/** The merchant's button colour, in a style sheet of its own, so that the main one keeps its hash. */
export function brandStyle(color: string | undefined): string {
  const { background, text, outline } = brandColors(color);
  return `button { background: ${background}; color: ${text}; border-color: ${outline}; }
@media (prefers-color-scheme: dark) { button { border-color: #b4bac6; } }`;
}

type Places = Readonly<Record<string, ComponentChildren>>;

/** A state of the card-update page; lines about unknown facts are left out. Buttons post to the page's own address, wherever it is mounted. */
export function renderCardUpdatePage(state: PageState, facts: PageFacts): string {
  const language = findLocale(facts.locale) ?? FALLBACK_LANGUAGE;
  const { pauseOffer, direction } = translationOf(language);
  const { title, lines, button, notes = [] } = chooseTexts(state, facts, language);
  const places = toPlaces(facts, language);
  const { look } = facts;
  const about = listFacts(state, facts, language);
  const body = (
    <main>
      <Brand {...facts} />
      <h1>{title}</h1>
      {[...fillLines(lines, places), ...about].map((line) => (
        <p>{line}</p>
      ))}
      {button !== undefined && (
        <form method="post">
          <button type="submit">{button}</button>
        </form>
      )}
      {fillLines(notes, places).map((note) => (
        <p class="note">{note}</p>
      ))}
      {state === 'update' && facts.pausable !== undefined && (
        <form method="post" action="?way=pause">
          <p>{pauseOffer.line}</p>
          <button type="submit" class="other">
            {pauseOffer.button}
          </button>
        </form>
      )}
    </main>
  );
  const styles = [PAGE_STYLE, ...(look ? [brandStyle(look.color)] : [])];
  return renderDocument({ title, styles, language, direction, body });
}

const LEAVE_NOTHING_TO_DO: ReadonlySet<PageState> = new Set<PageState>(['thanks', 'nothing_due', 'renewed']);

/** Texts avoid cards if the customer pays otherwise or chooses a method. */
function chooseTexts(state: PageState, { paidWith, resumes }: PageFacts, locale: string): PageTexts {
  const { pages, common, emails } = translationOf(locale);
  const { update, expired, choose, renew } = pages;
  const { heading, page } = common.otherMethod;
  const notes = [page.note, ...(update.notes ?? []).slice(1)];
  if (state === 'choose') return { ...update, ...choose, notes };
  if (state === 'lost') {
    const { heading: title } = emails.subscription_ended;
    const lines = [common.lost.owed, ...(resumes ? [common.lost.resumes] : [])];
    return { title, lines, button: common.lost.pay, notes };
  }
  if (state === 'renew')
    return { ...expired, lines: [...expired.lines.slice(0, -1), renew.line], button: renew.button };
  if (LEAVE_NOTHING_TO_DO.has(state)) return { ...pages[state], notes: [common.closePage] };
  if (state !== 'update' || paidWith?.isCard !== false) return pages[state];
  return { ...update, title: heading, lines: [page.line, ...update.lines.slice(1)], notes };
}

function Brand({ look, merchantName }: PageFacts) {
  const name = cleanName(merchantName);
  if (!look || name === undefined) return undefined;
  return (
    <p class="brand">
      {look.logoUrl !== undefined && <img src={look.logoUrl} alt="" height="40" />}
      <bdi>{name}</bdi>
    </p>
  );
}

/** The debt, its method and the consequence; after an end only the debt. */
function listFacts(state: PageState, facts: PageFacts, locale: string): string[] {
  const zone = facts.end?.zone ?? 'utc';
  const details = describeDetails({ ...facts, zone }, locale);
  if (state !== 'update') return state === 'lost' ? details : [];
  return [
    ...details,
    ...((facts.owed?.length ?? 0) > 1 ? [paysAll(facts.paidWith, locale)] : []),
    ...describeConsequence({ consequence: facts.consequence, zone }, locale),
  ];
}

/** `bdi` keeps names of either direction from reversing the sentence. */
function toPlaces({ merchantName, owed = [], end }: PageFacts, locale: string): Places {
  const name = cleanName(merchantName);
  const sums = formatSums(owed, locale);
  return {
    merchant: name ? <bdi>{name}</bdi> : translationOf(locale).common.unnamedMerchant,
    amount: sums && <strong>{sums}</strong>,
    until: end && formatTime(end.at, end.zone, locale),
  };
}

/** Leaves out lines with an unknown place. Odd parts of the split are names of places. */
function fillLines(lines: readonly string[], places: Places): ComponentChildren[] {
  return lines
    .map((line) => line.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 0 ? part : places[part])))
    .filter((parts) => parts.every((part) => part !== undefined));
}

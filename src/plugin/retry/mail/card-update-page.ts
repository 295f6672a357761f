import express, { type NextFunction, type Request, type Response } from 'express';
import type { Clock } from '../../../core/base/clock.ts';
import type { Logger } from '../../../core/base/logger.ts';
import { allowOnPage } from '../../../core/web/page-protection.ts';
import type { PortalRequest } from '../../clients/stripe-changes.ts';
import type { Consequence, OwedAmount } from '../../mails/customer-email.ts';
import type { PaidWith } from '../../mails/format-card.ts';
import type { PageState } from '../../mails/page-texts.ts';
import { noteLinkUse } from '../../store/tables/retry/emails.ts';
import { planAction } from '../../store/tables/retry/plan-action.ts';
import { letHappen } from '../../store/tables/retry/undecided.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { type CardUpdateClaims, cardUpdateUrl, type LinkReading, readLinkToken } from './card-update-link.ts';
import { createCardPageHeaders, describeFailure, limitRate } from './card-update-protection.ts';
import { brandStyle, type PageFacts, type PageLook, renderCardUpdatePage } from './card-update-views.tsx';
import { chooseReaderLocale } from './reader-locale.ts';

export interface DueInvoice {
  /** What a card that the customer gives would be charged for; none where nothing is due any more. */
  owed: readonly OwedAmount[];
  onBehalfOf?: string | undefined;
  plan?: string | undefined;
  paidWith?: PaidWith | undefined;
  consequence?: Consequence | undefined;
  /** The subscription that the customer may pause instead, where that is offered. */
  pausable?: string | undefined;
  /** Of an ended subscription, for which nothing here charges a card: Stripe's page of the invoice, which takes any. */
  payUrl?: string | undefined;
}

export interface CardUpdateDeps {
  /** Without one no link was ever signed, and every link is unknown. */
  linkSecret: string | undefined;
  clock: Clock;
  logger: Logger;
  /** Whether nothing is done for the customer any more, whatever the link is about. Does not ask Stripe. */
  isOver(claims: Pick<CardUpdateClaims, 'account' | 'customerId'>): Promise<boolean>;
  /** As it is now; undefined if Stripe does not know it. */
  findInvoice(account: string, invoiceId: string): Promise<DueInvoice | undefined>;
  /** Of whoever has the link; what was done is counted, for the mail that it came with. */
  noteLinkUse(claims: CardUpdateClaims, use: 'opened' | 'continued'): Promise<void>;
  /** Has another link sent to the address on file, where that can be. Says nothing of whether it was. */
  askForNewLink?: ((claims: CardUpdateClaims) => Promise<void>) | undefined;
  createPortalSession(request: Omit<PortalRequest, 'configuration'>): Promise<{ url: string }>;
  publicUrl: URL;
  /** From the settings or from memory: reading the page must not cost a call to Stripe. */
  merchantName(account: string, onBehalfOf?: string): Promise<string>;
  /** The colour in the account's branding. */
  brandColor(account: string): Promise<string | undefined>;
  /** The language for readers whose language neither the link nor the browser names. */
  emailLook: { language: string } & Partial<PageLook>;
  timeZone: string;
}

/**
 * The page behind the link of a card-update mail. Reading it has no effect, because scanners follow links in
 * mails; its button opens a billing-portal session, whose address is good for minutes only (stripe-facts 6.1).
 */
export function createCardUpdateRouter(deps: CardUpdateDeps): express.Router {
  const path = '/card-update/:token';
  const router = express.Router();
  router.use('/card-update', ...createCardPageHeaders(deps.publicUrl));
  const limit = (count: number) => limitRate(deps.logger, count, deps.emailLook);
  router.get(path, limit(120), async (request, response) =>
    showPage(deps, await receive(deps, request, response)),
  );
  router.post(path, limit(30), async (request, response) =>
    openPortal(deps, await receive(deps, request, response)),
  );
  // A link that was changed on the way, or another method. Whatever comes next would log its address.
  router.use('/card-update', (request, response) =>
    refuse(deps, { request, response, reading: { kind: 'invalid' } }),
  );
  router.use('/card-update', (error: unknown, request: Request, response: Response, next: NextFunction) => {
    if (response.headersSent) return next(error);
    answerError(deps, error, request, response);
  });
  return router;
}

/** What the second button asks for; any other way leads to the card. */
const PAUSE = 'pause';

interface Visit {
  readonly request: Request;
  readonly response: Response;
  readonly reading: LinkReading;
}

/** The gate before everything that a link can do: one for whom nothing is done any more is as good as forged. */
async function receive(deps: CardUpdateDeps, request: Request, response: Response): Promise<Visit> {
  const { linkSecret, clock } = deps;
  const invalid: LinkReading = { kind: 'invalid' };
  const reading = linkSecret ? readLinkToken(tokenOf(request), linkSecret, clock.now()) : invalid;
  const isOver = reading.kind !== 'invalid' && (await deps.isOver(reading.claims));
  return { request, response, reading: isOver ? invalid : reading };
}

/** Who comes back from the portal is thanked even if the link has ended meanwhile. */
async function showPage(deps: CardUpdateDeps, visit: Visit): Promise<void> {
  const { reading, request } = visit;
  const isAboutCard = reading.kind !== 'invalid' && reading.claims.isAboutCard === true;
  const { done } = request.query;
  if (reading.kind !== 'invalid' && done === PAUSE) return send(deps, visit, { state: 'paused' });
  if (reading.kind !== 'invalid' && done === '1')
    return send(deps, visit, { state: isAboutCard ? 'chosen' : 'thanks' });
  if (reading.kind !== 'valid') return refuse(deps, visit);
  await deps.noteLinkUse(reading.claims, 'opened');
  if (isAboutCard) return send(deps, visit, { state: 'choose' });
  const { account, invoiceId } = reading.claims;
  const invoice = invoiceId === null ? undefined : await findInvoiceIfPossible(deps, { account, invoiceId });
  if (isSettled(invoice)) return send(deps, visit, { state: 'nothing_due' });
  const { onBehalfOf, payUrl, ...facts } = invoice ?? {};
  await send(deps, visit, { state: payUrl === undefined ? 'update' : 'lost', facts, onBehalfOf });
}

async function openPortal(deps: CardUpdateDeps, visit: Visit): Promise<void> {
  const { reading, request, response } = visit;
  if (canBeRenewed(deps, reading)) return renewLink(deps, visit, reading.claims);
  if (reading.kind !== 'valid') return refuse(deps, visit);
  const { account, customerId, invoiceId, isAboutCard, expiresAt } = reading.claims;
  await deps.noteLinkUse(reading.claims, 'continued');
  try {
    const invoice =
      isAboutCard || invoiceId === null ? undefined : await deps.findInvoice(account, invoiceId);
    if (isSettled(invoice)) return await send(deps, visit, { state: 'nothing_due' });
    if (invoice?.payUrl !== undefined) return response.redirect(303, invoice.payUrl);
    const pause = request.query.way === PAUSE ? invoice?.pausable : undefined;
    const returnUrl = cardUpdateUrl(deps.publicUrl, tokenOf(request));
    returnUrl.search = `?done=${pause === undefined ? 1 : PAUSE}`;
    const { url } = await deps.createPortalSession({
      account,
      customerId,
      returnUrl: returnUrl.href,
      pause,
      recoverableUntil: expiresAt,
    });
    response.redirect(303, url);
  } catch (error) {
    deps.logger.error(
      { account, customerId, invoiceId, reason: describeFailure(error) },
      'portal session failed',
    );
    await send(deps, visit, { state: 'try_again', status: 502 });
  }
}

function refuse(deps: CardUpdateDeps, visit: Visit): Promise<void> {
  const { reading } = visit;
  if (reading.kind !== 'expired') return send(deps, visit, { state: 'not_found', status: 404 });
  return send(deps, visit, { state: canBeRenewed(deps, reading) ? 'renew' : 'expired', status: 410 });
}

type Expired = Extract<LinkReading, { kind: 'expired' }>;

/** Of a link about a card alone nobody knows whether its choice still stands. */
function canBeRenewed({ askForNewLink }: CardUpdateDeps, reading: LinkReading): reading is Expired {
  return askForNewLink !== undefined && reading.kind === 'expired' && reading.claims.isAboutCard !== true;
}

/** The answer is the same whether something is due, and whether there is an address: an old link tells nothing. */
async function renewLink(deps: CardUpdateDeps, visit: Visit, claims: CardUpdateClaims): Promise<void> {
  await deps.askForNewLink?.(claims);
  await send(deps, visit, { state: 'renewed' });
}

/** In the language of the mail, if Stripe knew the customer's; else in the browser's; else in the merchant's. */
async function send(
  deps: CardUpdateDeps,
  { reading, request, response }: Visit,
  {
    state,
    status = 200,
    facts,
    onBehalfOf,
  }: {
    state: PageState;
    status?: number;
    facts?: Pick<PageFacts, 'owed' | 'plan' | 'paidWith' | 'consequence' | 'pausable'>;
    onBehalfOf?: string | undefined;
  },
): Promise<void> {
  const locale = chooseReaderLocale(request, deps.emailLook.language);
  // Said here: what an adapter of another framework puts in the place of `send` takes a text for plain text.
  response.status(status).type('html');
  if (reading.kind === 'invalid') {
    response.send(renderCardUpdatePage(state, { locale }));
    return;
  }
  const { account, expiresAt, reader } = reading.claims;
  const end = { at: expiresAt, zone: reader?.zone ?? deps.timeZone };
  const [merchantName, look] = await Promise.all([
    findMerchantName(deps, account, onBehalfOf),
    findLook(deps, account),
  ]);
  allowOnPage(response, { style: brandStyle(look.color), picture: look.logoUrl });
  response.send(
    renderCardUpdatePage(state, { ...facts, locale: reader?.locale ?? locale, merchantName, look, end }),
  );
}

/** A customer who goes on from the page wants the old invoice paid, though they have subscribed again since. */
export async function noteVisit(
  { database, clock, enqueue }: Pick<RetryDeps, 'database' | 'clock' | 'enqueue'>,
  { account, invoiceId, subscriptionId }: Parameters<typeof noteLinkUse>[1],
  use: 'opened' | 'continued',
): Promise<void> {
  const at = clock.now();
  await database.transaction(async (tx) => {
    await noteLinkUse(tx, { account, invoiceId, subscriptionId }, use, at);
    if (use === 'opened' || invoiceId === null) return;
    const waited = await letHappen(tx, { account, invoiceId }, { at, code: 'subscribed_again' });
    const jobs = waited.map((actionId) => ({ data: { actionId, account } }));
    await enqueue('execute-action', jobs, tx);
  });
}

/** Of an invoice alone. Once a day, however often its customer asks. What stands against it is found when it is made. */
export async function planNewLink(
  deps: Pick<RetryDeps, 'database' | 'clock' | 'enqueue'>,
  { account, customerId, invoiceId }: Pick<CardUpdateClaims, 'account' | 'customerId' | 'invoiceId'>,
): Promise<void> {
  if (invoiceId === null) return;
  const now = deps.clock.now();
  const why = { cause: 'link_renewal', reference: now.toUTC().toISODate() ?? '' } as const;
  const what = { account, customerId, invoiceId, kind: 'card_update_email', dueAt: now } as const;
  await deps.database.transaction((tx) => planAction(deps, tx, { ...what, ...why, createdAt: now }));
}

function tokenOf(request: Request): string {
  const { token } = request.params;
  return typeof token === 'string' ? token : '';
}

/** Of an invoice that cannot be read nothing is known: the customer can update the card all the same. */
function isSettled(invoice: DueInvoice | undefined): boolean {
  return invoice !== undefined && invoice.owed.length === 0;
}

/** The page to read works without the amount; the button is what may fail. */
async function findInvoiceIfPossible(
  { findInvoice, logger }: CardUpdateDeps,
  { account, invoiceId }: { account: string; invoiceId: string },
): Promise<DueInvoice | undefined> {
  try {
    return await findInvoice(account, invoiceId);
  } catch (error) {
    logger.warn(
      { account, invoiceId, reason: describeFailure(error) },
      'card-update page without its amount',
    );
    return undefined;
  }
}

/** The page works without the name. */
async function findMerchantName(
  { merchantName, logger }: CardUpdateDeps,
  account: string,
  onBehalfOf: string | undefined,
): Promise<string | undefined> {
  try {
    return await merchantName(account, onBehalfOf);
  } catch (error) {
    logger.warn({ reason: describeFailure(error) }, 'merchant name not found for the card-update page');
    return undefined;
  }
}

async function findLook(
  { brandColor, emailLook, logger }: CardUpdateDeps,
  account: string,
): Promise<PageLook> {
  const { color, logoUrl } = emailLook;
  try {
    return { color: color ?? (await brandColor(account)), logoUrl };
  } catch (error) {
    logger.warn({ reason: describeFailure(error) }, 'colour not found for the card-update page');
    return { color: undefined, logoUrl };
  }
}

/** Express gives 400 to an address that is not properly encoded: to a customer that is a broken link. */
function answerError(deps: CardUpdateDeps, error: unknown, request: Request, response: Response): void {
  const isBrokenLink = error instanceof URIError;
  if (!isBrokenLink) deps.logger.error({ reason: describeFailure(error) }, 'card-update page failed');
  const locale = chooseReaderLocale(request, deps.emailLook.language);
  response
    .status(isBrokenLink ? 404 : 500)
    .type('html')
    .send(renderCardUpdatePage(isBrokenLink ? 'not_found' : 'try_again', { locale }));
}

import express, { type NextFunction, type Request, type Response } from 'express';
import { allowOnPage } from '../../../core/web/page-protection.ts';
import type { PortalRequest } from '../../clients/stripe-changes.ts';
import type { OwedAmount } from '../../mails/customer-email.ts';
import { chooseLocale } from '../../mails/languages.ts';
import type { PageState } from '../../mails/page-texts.ts';
import type { EmailLook } from '../../settings/email-access.ts';
import { noteLinkUse } from '../../store/tables/retry/emails.ts';
import { planAction } from '../../store/tables/retry/plan-action.ts';
import { letHappen } from '../../store/tables/retry/planned-actions.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { type CardUpdateClaims, cardUpdateUrl, type LinkReading, readLinkToken } from './card-update-link.ts';
import { createCardPageHeaders, describeFailure, limitRate } from './card-update-protection.ts';
import { brandStyle, type PageFacts, renderCardUpdatePage } from './card-update-views.tsx';

export interface DueInvoice
  extends Pick<PageFacts, 'plan' | 'paidWith' | 'consequence' | 'pausable' | 'resumes'> {
  /** Amounts that a new card would be charged; empty if nothing is due. */
  owed: readonly OwedAmount[];
  onBehalfOf?: string | undefined;
  /** Stripe's page of the invoice, for an ended subscription that we do not charge. */
  payUrl?: string | undefined;
}

export interface CardUpdateDeps
  extends Pick<RetryDeps, 'clock' | 'logger' | 'merchantName' | 'brandColor'>,
    Pick<RetryDeps['config'], 'publicUrl' | 'timeZone'> {
  /** Undefined: every link is unknown. */
  linkSecret: string | undefined;
  /** Language if neither link nor browser names one. */
  emailLook: Partial<EmailLook> & Pick<EmailLook, 'language'>;
  /** Whether the customer is no longer served. Does not ask Stripe. */
  isOver(claims: Pick<CardUpdateClaims, 'account' | 'customerId'>): Promise<boolean>;
  /** Current state; undefined if unknown to Stripe. */
  findInvoice(account: string, invoiceId: string): Promise<DueInvoice | undefined>;
  /** Counts the use of the link for its email. */
  noteLinkUse(claims: CardUpdateClaims, use: 'opened' | 'continued'): Promise<void>;
  /** Sends a new link to the address on file, if possible. Does not reveal whether it did. */
  askForNewLink?: ((claims: CardUpdateClaims) => Promise<void>) | undefined;
  createPortalSession(request: Omit<PortalRequest, 'configuration'>): Promise<{ url: string }>;
}

/**
 * The page of a card-update link. Reading it has no effect, because scanners follow links; its button opens a billing-portal session,
 * whose address is valid for minutes (stripe-facts 6.1).
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
  // Altered links and other methods end here: a later handler would log the address.
  router.use('/card-update', (request, response) =>
    refuse(deps, { request, response, reading: { kind: 'invalid' } }),
  );
  router.use('/card-update', (error: unknown, request: Request, response: Response, next: NextFunction) => {
    if (response.headersSent) return next(error);
    answerError(deps, error, request, response);
  });
  return router;
}

/** Value of the second button; other values lead to the card. */
const PAUSE = 'pause';

interface Visit {
  readonly request: Request;
  readonly response: Response;
  readonly reading: LinkReading;
}

/** Checks every link: one of a customer no longer served counts as forged. */
async function receive(deps: CardUpdateDeps, request: Request, response: Response): Promise<Visit> {
  const { linkSecret, clock } = deps;
  const invalid: LinkReading = { kind: 'invalid' };
  const reading = linkSecret ? readLinkToken(tokenOf(request), linkSecret, clock.now()) : invalid;
  const isOver = reading.kind !== 'invalid' && (await deps.isOver(reading.claims));
  return { request, response, reading: isOver ? invalid : reading };
}

/** Customers returning from the portal are thanked even after the link's end. */
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
  const invoice =
    invoiceId === null
      ? undefined
      : await ifPossible(deps, `the amount of ${invoiceId}`, () => deps.findInvoice(account, invoiceId));
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

/** A link about a card alone is not renewed: its question may be outdated. */
function canBeRenewed({ askForNewLink }: CardUpdateDeps, reading: LinkReading): reading is Expired {
  return askForNewLink !== undefined && reading.kind === 'expired' && reading.claims.isAboutCard !== true;
}

/** Answers alike with and without a debt or an address: an old link reveals nothing. */
async function renewLink(deps: CardUpdateDeps, visit: Visit, claims: CardUpdateClaims): Promise<void> {
  await deps.askForNewLink?.(claims);
  await send(deps, visit, { state: 'renewed' });
}

/** Language of the email if Stripe knows the customer's, else the browser's, else the merchant's. */
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
    facts?: Partial<DueInvoice>;
    onBehalfOf?: string | undefined;
  },
): Promise<void> {
  const locale = chooseLocale(request.acceptsLanguages(), deps.emailLook.language);
  // Set here: adapters of other frameworks may treat text as plain.
  response.status(status).type('html');
  if (reading.kind === 'invalid') {
    response.send(renderCardUpdatePage(state, { locale }));
    return;
  }
  const { account, expiresAt, reader } = reading.claims;
  const end = { at: expiresAt, zone: reader?.zone ?? deps.timeZone };
  const [merchantName, color] = await Promise.all([
    ifPossible(deps, "the merchant's name", () => deps.merchantName(account, onBehalfOf)),
    ifPossible(deps, 'its colour', () => deps.brandColor(account)),
  ]);
  const look = { color, logoUrl: deps.emailLook.logoUrl };
  allowOnPage(response, { style: brandStyle(look.color), picture: look.logoUrl });
  response.send(
    renderCardUpdatePage(state, { ...facts, locale: reader?.locale ?? locale, merchantName, look, end }),
  );
}

/** A customer who continues wants to pay the old invoice, despite a new subscription. */
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

/** Plans a new link for an invoice, at most once a day. Its guards decide when it is sent. */
export async function planNewLink(
  deps: Pick<RetryDeps, 'database' | 'clock' | 'enqueue'>,
  { account, customerId, invoiceId }: Pick<CardUpdateClaims, 'account' | 'customerId' | 'invoiceId'>,
): Promise<void> {
  if (invoiceId === null) return;
  const now = deps.clock.now();
  const why = { cause: 'link_renewal', reference: now.toUTC().toISODate() ?? '' } as const;
  const what = { account, customerId, invoiceId, kind: 'card_update_email' } as const;
  await deps.database.transaction((tx) => planAction(deps, tx, { ...what, ...why, createdAt: now }));
}

function tokenOf(request: Request): string {
  const { token } = request.params;
  return typeof token === 'string' ? token : '';
}

/** An unreadable invoice counts as unsettled: the customer can still update the card. */
function isSettled(invoice: DueInvoice | undefined): boolean {
  return invoice !== undefined && invoice.owed.length === 0;
}

/** Reads a part that the page can do without; only its button may fail. */
async function ifPossible<Part>(
  { logger }: CardUpdateDeps,
  missing: string,
  read: () => Promise<Part | undefined>,
): Promise<Part | undefined> {
  try {
    return await read();
  } catch (error) {
    logger.warn({ reason: describeFailure(error) }, `card-update page without ${missing}`);
    return undefined;
  }
}

/** Express gives 400 for a badly encoded address: to customers that is a broken link. */
function answerError(deps: CardUpdateDeps, error: unknown, request: Request, response: Response): void {
  const isBrokenLink = error instanceof URIError;
  if (!isBrokenLink) deps.logger.error({ reason: describeFailure(error) }, 'card-update page failed');
  const locale = chooseLocale(request.acceptsLanguages(), deps.emailLook.language);
  response
    .status(isBrokenLink ? 404 : 500)
    .type('html')
    .send(renderCardUpdatePage(isBrokenLink ? 'not_found' : 'try_again', { locale }));
}

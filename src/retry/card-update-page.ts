import express, { type NextFunction, type Request, type Response } from 'express';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { cardUpdateUrl, type LinkReading, readLinkToken } from './card-update-link.ts';
import { createPageHeaders, describeFailure, limitRate } from './card-update-protection.ts';
import * as views from './card-update-views.ts';

interface InvoiceState {
  status: string;
  amountRemaining: number;
  currency: string;
}

export interface CardUpdateDeps {
  /** Without one no link was ever signed, and every link is unknown. */
  linkSecret: string | undefined;
  clock: Clock;
  logger: Logger;
  findInvoice(account: string, invoiceId: string): Promise<InvoiceState | undefined>;
  createPortalSession(input: {
    account: string;
    customerId: string;
    returnUrl: string;
    locale?: string;
  }): Promise<{ url: string }>;
  publicUrl: URL;
  /** From the settings or from memory: reading the page must not cost a call to Stripe. */
  merchantName(account: string): Promise<string>;
}

/**
 * The page behind the link of a card-update mail. Reading it has no effect, because scanners follow links in
 * mails; its button opens a billing-portal session, whose address is good for minutes only (facts 6.1).
 */
export function createCardUpdateRouter(deps: CardUpdateDeps): express.Router {
  const path = '/card-update/:token';
  const router = express.Router();
  router.use('/card-update', ...createPageHeaders(deps.publicUrl));
  router.get(path, limitRate(deps.logger, 120), (request, response) => showPage(deps, request, response));
  router.post(path, limitRate(deps.logger, 30), (request, response) => openPortal(deps, request, response));
  router.use('/card-update', (error: unknown, _request: Request, response: Response, next: NextFunction) => {
    if (response.headersSent) return next(error);
    answerError(deps.logger, error, response);
  });
  return router;
}

/** Who comes back from the portal is thanked even if the link has ended meanwhile. */
async function showPage(deps: CardUpdateDeps, request: Request, response: Response): Promise<void> {
  const reading = readLink(deps, request);
  if (reading.kind === 'invalid') return refuse(deps, reading, response);
  const { account } = reading.claims;
  if (request.query.done === '1')
    response.send(views.renderThanksPage(await findMerchantName(deps, account)));
  else if (reading.kind === 'valid')
    response.send(views.renderUpdatePage(await findMerchantName(deps, account)));
  else await refuse(deps, reading, response);
}

async function openPortal(deps: CardUpdateDeps, request: Request, response: Response): Promise<void> {
  const reading = readLink(deps, request);
  if (reading.kind !== 'valid') return refuse(deps, reading, response);
  const { account, customerId, invoiceId } = reading.claims;
  try {
    if (isSettled(await deps.findInvoice(account, invoiceId))) {
      response.send(views.renderNothingDuePage(await findMerchantName(deps, account)));
      return;
    }
    const returnUrl = cardUpdateUrl(deps.publicUrl, tokenOf(request));
    returnUrl.search = '?done=1';
    const { url } = await deps.createPortalSession({ account, customerId, returnUrl: returnUrl.href });
    response.redirect(303, url);
  } catch (error) {
    deps.logger.error(
      { account, customerId, invoiceId, reason: describeFailure(error) },
      'portal session failed',
    );
    response.status(502).send(views.renderTryAgainPage());
  }
}

function readLink({ linkSecret, clock }: CardUpdateDeps, request: Request): LinkReading {
  return linkSecret ? readLinkToken(tokenOf(request), linkSecret, clock.now()) : { kind: 'invalid' };
}

async function refuse(
  deps: CardUpdateDeps,
  reading: Exclude<LinkReading, { kind: 'valid' }>,
  response: Response,
): Promise<void> {
  if (reading.kind === 'invalid') response.status(404).send(views.renderNotFoundPage());
  else {
    const name = await findMerchantName(deps, reading.claims.account);
    response.status(410).send(views.renderExpiredPage(name));
  }
}

function tokenOf(request: Request): string {
  const { token } = request.params;
  return typeof token === 'string' ? token : '';
}

/** An invoice we have no row of may still be due: the customer can update the card all the same. */
function isSettled(invoice: InvoiceState | undefined): boolean {
  if (!invoice) return false;
  return !['open', 'uncollectible'].includes(invoice.status) || invoice.amountRemaining <= 0;
}

/** The page works without the name. */
async function findMerchantName(
  { merchantName, logger }: CardUpdateDeps,
  account: string,
): Promise<string | undefined> {
  try {
    return await merchantName(account);
  } catch (error) {
    logger.warn({ reason: describeFailure(error) }, 'merchant name not found for the card-update page');
    return undefined;
  }
}

/** Express gives 400 to an address that is not properly encoded: to a customer that is a broken link. */
function answerError(logger: Logger, error: unknown, response: Response): void {
  if (error instanceof URIError) {
    response.status(404).send(views.renderNotFoundPage());
    return;
  }
  logger.error({ reason: describeFailure(error) }, 'card-update page failed');
  response.status(500).send(views.renderTryAgainPage());
}

import type { Request, RequestHandler, Response, Router } from 'express';
import express from 'express';
import { Duration } from 'luxon';
import { z } from 'zod';
import { pageStyle } from '../../../core/web/page-style.ts';
import { ApiError } from '../api-error.ts';
import { payInvoice } from '../billing/collect-invoice.ts';
import { changeDefaultCard } from '../billing/customer-cards.ts';
import { pauseSubscription, resumeSubscription } from '../billing/pause-subscription.ts';
import type { Invoice } from '../objects/wire.ts';
import { accepts, type PaymentMethodBehaviour, type PaymentMethodDetails } from '../payment-behaviour.ts';
import { BY_ITSELF, type PortalVisit, unixNow, type World } from '../sandbox-world.ts';

/** Stripe's pages for customers. Their addresses name a session or an invoice, and with it the account. */
export function hostedPages(platform: World, connected: () => readonly World[]): RequestHandler {
  const pages = new Map<World, RequestHandler>();
  const pagesOf = (world: World): RequestHandler => {
    const known = pages.get(world);
    if (known) return known;
    const fresh = express.Router().use(portalPages(world), hostedInvoicePages(world));
    pages.set(world, fresh);
    return fresh;
  };
  return (req, res, next) => {
    const id = req.path.split('/')[2] ?? '';
    const owner = connected().find((world) => world.portalSessions.has(id) || world.invoices.get(id));
    pagesOf(owner ?? platform)(req, res, next);
  };
}

/** Stripe's hosted invoice page (stripe-facts 3.4): the customer pays with the card on file, and is there to authenticate. */
function hostedInvoicePages(world: World): Router {
  const pages = express.Router();
  pages.get('/i/:id', (req, res) => {
    const invoice = world.invoices.get(req.params.id);
    if (invoice === undefined) sendPage(res, 'There is no such invoice.', 404);
    else sendPage(res, invoicePage(invoice));
  });
  pages.post('/i/:id', (req, res) => {
    const invoice = world.invoices.get(req.params.id);
    if (invoice === undefined) {
      sendPage(res, 'There is no such invoice.', 404);
      return;
    }
    const problem = payOnPage(world, invoice);
    if (problem === undefined) res.redirect(303, `/i/${invoice.id}`);
    else sendPage(res, escapeHtml(problem.body.message), problem.status);
  });
  return pages;
}

function payOnPage(world: World, invoice: Invoice): ApiError | undefined {
  world.cause = BY_ITSELF;
  try {
    payInvoice(world, invoice, { by: 'customer' });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function invoicePage(invoice: Invoice): string {
  const amount = `${invoice.amount_remaining} ${invoice.currency.toUpperCase()} (smallest unit)`;
  const button = `<form method="post" action="/i/${invoice.id}"><button>Pay ${amount}</button></form>`;
  const isPayable = invoice.status === 'open' || invoice.status === 'uncollectible';
  return `<p>Invoice ${escapeHtml(invoice.number ?? '')}: ${escapeHtml(String(invoice.status))}</p>
${isPayable ? button : ''}`;
}

/** An unused link lives five minutes, a used one an hour after the last visit (stripe-facts 6.1). */
const UNUSED_LIFETIME = Duration.fromObject({ minutes: 5 });
const USED_LIFETIME = Duration.fromObject({ hours: 1 });

const chosen = z.object({ card: z.coerce.number().default(0), pause: z.coerce.number().default(0) });
const DEFAULT_OFFER: readonly PaymentMethodBehaviour[] = [accepts()];

/** Stripe's hosted page where a customer changes the card or pauses, reduced to one button per card or time. */
function portalPages(world: World): Router {
  const pages = express.Router();
  pages.get('/portal/:id', (req, res) => {
    const visit = openVisit(world, req, res);
    if (visit !== undefined) sendPage(res, pageOf(world, visit));
  });
  pages.post('/portal/:id', express.urlencoded({ extended: false }), (req, res) => {
    const visit = openVisit(world, req, res);
    if (visit === undefined) return;
    const { card, pause } = chosen.parse(req.body ?? {});
    if (visit.session.flow?.type === 'subscription_pause') choosePause(world, visit, pause, res);
    else chooseCard(world, visit, card, res);
  });
  return pages;
}

function openVisit(world: World, req: Request, res: Response): PortalVisit | undefined {
  const visit = world.portalSessions.get(String(req.params.id));
  if (visit === undefined || isExpired(world, visit)) {
    sendPage(res, 'This link has expired.', visit === undefined ? 404 : 410);
    return undefined;
  }
  visit.lastUsedAt = unixNow(world);
  return visit;
}

/** An expired session; with `after_expiration` the customer logs in by email and continues (the login is not simulated). */
function isExpired(world: World, { session, lastUsedAt }: PortalVisit): boolean {
  const lifetime = lastUsedAt === null ? UNUSED_LIFETIME : USED_LIFETIME;
  if (unixNow(world) <= (lastUsedAt ?? session.created) + lifetime.as('seconds')) return false;
  if (session.after_expiration?.type !== 'customer_login') return true;
  return unixNow(world) > (session.after_expiration.customer_login?.expires_at ?? Number.POSITIVE_INFINITY);
}

/** The customer's offered cards, of the types that the portal's configuration allows. */
function offersFor(world: World, { session }: PortalVisit): readonly PaymentMethodBehaviour[] {
  const portal = world.portalConfigurations.get(session.configuration);
  const named = portal?.features.payment_method_update.payment_method_configuration ?? undefined;
  const methods = [...world.methodConfigurations.newestFirst()].find(({ id, is_default: isDefault }) =>
    named === undefined ? isDefault : id === named,
  );
  const offered = world.offeredCards.get(session.customer) ?? DEFAULT_OFFER;
  return offered.filter(({ details: { type } }) => methods?.active && methods[type]?.available);
}

function chooseCard(world: World, visit: PortalVisit, choice: number, res: Response): void {
  const customer = world.customers.get(visit.session.customer);
  const behaviour = offersFor(world, visit)[choice];
  if (customer === undefined || behaviour === undefined) {
    sendPage(res, 'There is no such card.', 400);
    return;
  }
  world.cause = BY_ITSELF;
  changeDefaultCard(world, customer, behaviour);
  goBack(visit, res, 'Your payment method was changed.');
}

function goBack({ session }: PortalVisit, res: Response, done: string): void {
  const target = session.flow?.after_completion.redirect?.return_url ?? session.return_url;
  if (target === null) sendPage(res, done);
  else res.redirect(303, target);
}

function pageOf(world: World, visit: PortalVisit): string {
  if (visit.session.flow?.type === 'subscription_pause') return pausePage(world, visit);
  const buttons = offersFor(world, visit).map(
    ({ details }, index) => `<button name="card" value="${index}">${escapeHtml(nameOf(details))}</button>`,
  );
  return formPage(visit, 'Choose the payment method for your subscriptions.', buttons);
}

function pausePage(world: World, visit: PortalVisit): string {
  const buttons = pausesFor(world, visit).map(
    (length, index) =>
      `<button name="pause" value="${index}">Pause ${length ? `for ${length.toHuman()}` : 'until further notice'}</button>`,
  );
  return formPage(visit, 'Pause your subscription.', buttons);
}

function formPage({ session }: PortalVisit, text: string, buttons: readonly string[]): string {
  return `<p>${text}</p>
<form method="post" action="/portal/${encodeURIComponent(session.id)}">${buttons.join('\n')}</form>`;
}

/** Undefined: until somebody resumes it. */
function pausesFor(world: World, { session }: PortalVisit): readonly (Duration | undefined)[] {
  const pause = world.portalConfigurations.get(session.configuration)?.features.subscription_pause;
  if (pause?.duration.type !== 'interval_options') return [undefined];
  return pause.duration.interval_options.map(({ interval, interval_count: count }) =>
    Duration.fromObject({ [`${interval}s`]: count }),
  );
}

/** *Unverified:* that Stripe gives nothing back, and resumes as `resume` does (stripe-facts 2.8). */
function choosePause(world: World, visit: PortalVisit, choice: number, res: Response): void {
  const subscription = world.subscriptions.get(visit.session.flow?.subscription_pause?.subscription ?? '');
  const pauses = pausesFor(world, visit);
  if (subscription === undefined || subscription.status === 'paused' || choice >= pauses.length) {
    sendPage(res, 'There is no such choice.', 400);
    return;
  }
  world.cause = BY_ITSELF;
  pauseSubscription(world, subscription, { unusedTimeFrom: 'none' });
  const { status_details: paused } = subscription;
  const until = pauses[choice];
  if (until !== undefined)
    world.due.add({
      atMs: world.clock.now().plus(until).toMillis(),
      isCurrent: () => subscription.status === 'paused' && subscription.status_details === paused,
      run: () => resumeSubscription(world, subscription, { resumesOn: 'success' }),
    });
  goBack(visit, res, 'Your subscription was paused.');
}

function nameOf(details: PaymentMethodDetails): string {
  if ('email' in details) return `${details.type} account of ${details.email}`;
  return `${details.type === 'card' ? details.brand : details.type} ending in ${details.last4}`;
}

const STYLE = pageStyle(`
main { max-width: 30rem; margin: 2rem auto; padding: 1.5rem 2rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
h1 { font-size: 1.125rem; }
button { width: 100%; margin: .25rem 0; padding: .75rem 1rem; }
`);

/** The frame of the sandbox's own pages, which stand for those that Stripe hosts. */
function sendPage(res: Response, body: string, status = 200): void {
  res
    .status(status)
    .type('html')
    .send(`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Stripe sandbox</title><style>${STYLE}</style></head>
<body><main><h1>Stripe, simulated</h1>${body}</main></body></html>`);
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

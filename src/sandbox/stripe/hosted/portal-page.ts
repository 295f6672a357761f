import type { Request, Response, Router } from 'express';
import express from 'express';
import { Duration } from 'luxon';
import { changeDefaultCard } from '../billing/customer-cards.ts';
import { accepts, type PaymentMethodBehaviour } from '../payment-behaviour.ts';
import { BY_ITSELF, type PortalVisit, unixNow, type World } from '../sandbox-world.ts';
import { escapeHtml, htmlPage, nameOf } from './hosted-html.ts';

/** An unused link lives five minutes, a used one an hour after the last visit (stripe-facts 6.1). */
const UNUSED_LIFETIME = Duration.fromObject({ minutes: 5 });
const USED_LIFETIME = Duration.fromObject({ hours: 1 });

const DEFAULT_OFFER: readonly PaymentMethodBehaviour[] = [accepts()];

/** Stripe's hosted page where a customer changes the card, reduced to one button per card. */
export function portalPages(world: World): Router {
  const pages = express.Router();
  pages.get('/portal/:id', (req, res) => {
    const visit = openVisit(world, req, res);
    if (visit === undefined) return;
    res.type('html').send(cardPage(visit, offersFor(world, visit)));
  });
  pages.post('/portal/:id', express.urlencoded({ extended: false }), (req, res) => {
    const visit = openVisit(world, req, res);
    if (visit === undefined) return;
    const form: unknown = req.body;
    const choice = typeof form === 'object' && form !== null && 'card' in form ? Number(form.card) : 0;
    chooseCard(world, visit, choice, res);
  });
  return pages;
}

function openVisit(world: World, req: Request, res: Response): PortalVisit | undefined {
  const visit = world.portalSessions.get(String(req.params.id));
  if (visit === undefined || isExpired(world, visit)) {
    res
      .status(visit === undefined ? 404 : 410)
      .type('html')
      .send(htmlPage('This link has expired.'));
    return undefined;
  }
  visit.lastUsedAt = unixNow(world);
  return visit;
}

/** With `after_expiration` the customer logs in by e-mail and goes on; the login itself is not simulated. */
function isExpired(world: World, { session, lastUsedAt }: PortalVisit): boolean {
  const lifetime = lastUsedAt === null ? UNUSED_LIFETIME : USED_LIFETIME;
  if (unixNow(world) <= (lastUsedAt ?? session.created) + lifetime.as('seconds')) return false;
  if (session.after_expiration?.type !== 'customer_login') return true;
  return unixNow(world) > (session.after_expiration.customer_login?.expires_at ?? Number.POSITIVE_INFINITY);
}

function offersFor(world: World, { session }: PortalVisit): readonly PaymentMethodBehaviour[] {
  return world.offeredCards.get(session.customer) ?? DEFAULT_OFFER;
}

function chooseCard(world: World, visit: PortalVisit, choice: number, res: Response): void {
  const customer = world.customers.get(visit.session.customer);
  const behaviour = offersFor(world, visit)[choice];
  if (customer === undefined || behaviour === undefined) {
    res.status(400).type('html').send(htmlPage('There is no such card.'));
    return;
  }
  world.cause = BY_ITSELF;
  changeDefaultCard(world, customer, behaviour);
  const target = visit.session.flow?.after_completion.redirect?.return_url ?? visit.session.return_url;
  if (target === null) res.type('html').send(htmlPage('Your payment method was changed.'));
  else res.redirect(303, target);
}

function cardPage({ session }: PortalVisit, offers: readonly PaymentMethodBehaviour[]): string {
  const buttons = offers.map(
    ({ details }, index) => `<button name="card" value="${index}">${escapeHtml(nameOf(details))}</button>`,
  );
  return htmlPage(
    `<p>Choose the payment method for your subscriptions.</p>
<form method="post" action="/portal/${encodeURIComponent(session.id)}">${buttons.join('\n')}</form>`,
  );
}

import type { Request, Response, Router } from 'express';
import express from 'express';
import { Duration } from 'luxon';
import { z } from 'zod';
import { changeDefaultCard } from '../billing/customer-cards.ts';
import { pauseSubscription, resumeSubscription } from '../billing/pause-subscription.ts';
import { accepts, type PaymentMethodBehaviour } from '../payment-behaviour.ts';
import { BY_ITSELF, type PortalVisit, unixNow, type World } from '../sandbox-world.ts';
import { escapeHtml, htmlPage, nameOf } from './hosted-html.ts';

/** An unused link lives five minutes, a used one an hour after the last visit (stripe-facts 6.1). */
const UNUSED_LIFETIME = Duration.fromObject({ minutes: 5 });
const USED_LIFETIME = Duration.fromObject({ hours: 1 });

const chosen = z.object({ card: z.coerce.number().default(0), pause: z.coerce.number().default(0) });
const DEFAULT_OFFER: readonly PaymentMethodBehaviour[] = [accepts()];

/** Stripe's hosted page where a customer changes the card or pauses, reduced to one button per card or time. */
export function portalPages(world: World): Router {
  const pages = express.Router();
  pages.get('/portal/:id', (req, res) => {
    const visit = openVisit(world, req, res);
    if (visit === undefined) return;
    res.type('html').send(pageOf(world, visit));
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

/** Of the cards that wait for the customer, those whose type the portal's configuration offers. */
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
    res.status(400).type('html').send(htmlPage('There is no such card.'));
    return;
  }
  world.cause = BY_ITSELF;
  changeDefaultCard(world, customer, behaviour);
  goBack(visit, res, 'Your payment method was changed.');
}

function goBack({ session }: PortalVisit, res: Response, done: string): void {
  const target = session.flow?.after_completion.redirect?.return_url ?? session.return_url;
  if (target === null) res.type('html').send(htmlPage(done));
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
  return htmlPage(
    `<p>${text}</p>
<form method="post" action="/portal/${encodeURIComponent(session.id)}">${buttons.join('\n')}</form>`,
  );
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
    res.status(400).type('html').send(htmlPage('There is no such choice.'));
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

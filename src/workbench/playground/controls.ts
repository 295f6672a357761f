/** What one can do to a shop, by a button or on the command line. */
import express, { type RequestHandler } from 'express';
import { z } from 'zod';
import { InvalidRequestError, PluginError } from '../../core/base/errors.ts';
import { isLoopback } from '../../core/base/loopback.ts';
import { isFromAnotherSite } from '../../core/web/page-protection.ts';
import type { Person } from '../customers/people.ts';
import type { Shop } from './shop.ts';

export interface Controls {
  readonly shop: Shop;
  /** Does it between two moments, and lets everything happen that is due then. */
  inTurn(act: () => void): Promise<void>;
  readonly narrate: (person: Person, what: string) => void;
  /** Simulated time; the machine's by default. */
  readonly time?: Time;
}

export interface Time {
  /** Throws InvalidRequestError for another speed than there is. */
  setSpeed(name: string): string;
  toNextEvent(): Promise<string>;
}

const ON_CUSTOMER: ReadonlyMap<string, (shop: Shop, person: Person, value: string) => string> = new Map([
  ['fail', (shop, person, value) => shop.fail(person, value || 'insufficient_funds')],
  ['renew', (shop, person) => shop.renew(person)],
  ['card', (shop, person) => shop.giveCard(person)],
  ['cancel', (shop, person) => shop.cancel(person)],
]);

const ON_TIME: ReadonlyMap<string, (time: Time, value: string) => Promise<string>> = new Map([
  ['speed', async (time, value) => time.setSpeed(value)],
  ['next', (time) => time.toNextEvent()],
]);

export const CONTROL_NAMES: readonly string[] = [...ON_CUSTOMER.keys(), ...ON_TIME.keys()];

export interface Order {
  readonly act: string;
  readonly customer?: string | undefined;
  readonly value?: string | undefined;
}

/** Returns a sentence about the act. Throws InvalidRequestError. */
export async function carryOut(
  controls: Controls,
  { act, customer = '', value = '' }: Order,
): Promise<string> {
  const onTime = ON_TIME.get(act);
  if (onTime) {
    if (controls.time) return onTime(controls.time, value);
    throw new InvalidRequestError('Here time is that of this machine; `playground` has a clock of its own.');
  }
  const onCustomer = ON_CUSTOMER.get(act);
  if (!onCustomer)
    throw new InvalidRequestError(`There is no act "${act}"; there are ${CONTROL_NAMES.join(', ')}.`);
  const person = controls.shop.find(customer);
  let said = '';
  await controls.inTurn(() => {
    said = onCustomer(controls.shop, person, value);
    controls.narrate(person, said);
  });
  return `${person.role.name}: ${said}`;
}

const order = z.object({
  act: z.string().max(40),
  customer: z.string().max(100).optional(),
  value: z.string().max(100).optional(),
});

/** The path to which the sandbox's command and the page's forms post. */
export const CONTROLS_PATH = '/controls';

/** Handlers to mount at CONTROLS_PATH. A browser is redirected to the page; a client that asks for text gets text. */
export function takeOrders(controls: () => Controls): RequestHandler[] {
  return [
    refuseOtherSites,
    express.urlencoded({ extended: false, limit: '4kb' }),
    async (request, response) => {
      const parsed = order.safeParse(request.body);
      if (!parsed.success) throw new InvalidRequestError('The form has no `act`.');
      const said = await carryOut(controls(), parsed.data);
      if (request.accepts(['html', 'text']) === 'html') response.redirect(303, './');
      else response.type('text').send(`${said}\n`);
    },
  ];
}

/** Nothing is at stake here, and still no other page plays with it. */
export const refuseOtherSites: RequestHandler = (request, _response, next) => {
  if (isLoopback(request.hostname) && !isFromAnotherSite(request)) return next();
  throw new PluginError('FORBIDDEN', 'The request was sent by another site.');
};

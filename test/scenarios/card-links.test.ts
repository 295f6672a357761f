/** One gate before everything that a link in an email can do: whatever it is about, and whichever way it is followed. */
import { type CardUpdateClaims, createLinkToken } from '../../src/plugin/retry/mail/card-update-link.ts';
import type { ConnectedAccount } from '../../src/workbench/sandbox/connect.ts';
import { declines } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { operate } from '../support/operate.ts';
import { createWorld, LINK_SECRET, type World } from '../support/world.ts';
import { type ByName, type FailedSubscriber, failTogether } from './fail-together.ts';

type Person = 'own' | 'forgotten' | 'ann';

let world: World;
let ann: ConnectedAccount;
let people: ByName<Person>;

beforeAll(async () => {
  world = await createWorld({
    isRemote: true,
    arrange: async (sandbox) => {
      ann = sandbox.connectAccount({ accountName: 'Ann GmbH' });
      const ofAnn = {
        retryServiceApiKey: 'key-of-ann',
        recoveryCallbackToken: 'token-of-ann-0123456789-abcdefgh',
      };
      return {
        stripeWebhookSecret: `${sandbox.webhookSecret},${sandbox.connectWebhookSecret}`,
        connectedAccounts: JSON.stringify({ [ann.id]: ofAnn }),
      };
    },
  });
  world.sandbox.addConnectEndpoint(`${world.url}/webhooks/stripe`);
  const { state, ...account } = ann;
  const annsWorld: World = {
    ...world,
    sandbox: { ...world.sandbox, ...account, state: { ...world.sandbox.state, ...state } },
  };
  const card = declines('insufficient_funds');
  people = await failTogether(
    world,
    { own: card, forgotten: card, ann: card },
    { placeOf: (name) => (name === 'ann' ? annsWorld : world) },
  );
  await operate(world, 'forget', { customer: people('forgotten').customerId });
  ann.deauthorize();
  await world.settle();
});
afterAll(() => world?.stop());

const KINDS: Readonly<Record<string, (of: FailedSubscriber) => Partial<CardUpdateClaims>>> = {
  'an unpaid invoice': ({ invoiceId }) => ({ invoiceId }),
  'another card that was charged': ({ invoiceId }) => ({ invoiceId, isAboutCard: true }),
  'a card that expires': ({ subscriptionId }) => ({ invoiceId: subscriptionId, isAboutCard: true }),
};

/** Status and heading of the page that is read, of the page to come back to, and of what the button does. */
type Answers = readonly [read: string, back: string, pressed: string];
const NONE: Answers = [
  '404 This link does not work',
  '404 This link does not work',
  '404 This link does not work',
];
const PORTAL = '303 ';

const STATES: Readonly<
  Record<
    string,
    {
      of: Person;
      account?: () => string;
      days?: number;
      answers: (isAboutCard: boolean) => Answers;
    }
  >
> = {
  good: {
    of: 'own',
    answers: (isAboutCard) =>
      isAboutCard
        ? ['200 Choose your payment method', '200 Thank you', PORTAL]
        : ['200 Update your card', '200 Thank you', PORTAL],
  },
  // Nothing opens, and whoever was at the portal meanwhile is thanked.
  expired: {
    of: 'own',
    days: 0,
    answers: (isAboutCard) => [
      '410 This link has expired',
      '200 Thank you',
      isAboutCard ? '410 This link has expired' : '200 Please check your email',
    ],
  },
  'of a forgotten customer': { of: 'forgotten', answers: () => NONE },
  'of a forgotten customer, and expired': { of: 'forgotten', days: 0, answers: () => NONE },
  'of an account that ended our access': { of: 'ann', account: () => ann.id, answers: () => NONE },
  'of an account that is not configured': { of: 'own', account: () => 'acct_other', answers: () => NONE },
};

const CASES = Object.keys(KINDS).flatMap((kind) => Object.keys(STATES).map((state) => ({ kind, state })));

async function follow(link: string, method: 'GET' | 'POST'): Promise<string> {
  const response = await fetch(link, { method, redirect: 'manual' });
  const heading = /<h1>(.*?)<\/h1>/.exec(await response.text())?.[1] ?? '';
  return `${response.status} ${heading}`;
}

test.each(CASES)(
  'a link about $kind that is $state does what it may, and asks Stripe for nothing else',
  async ({ kind, state }) => {
    const asked = STATES[state];
    const person = asked && people(asked.of);
    const about = person && KINDS[kind]?.(person);
    if (!asked || !about) throw new Error('There is no such case.');
    const claims = {
      account: asked.account?.() ?? 'own',
      customerId: person.customerId,
      invoiceId: person.invoiceId,
      expiresAt: world.clock.now().plus({ days: asked.days ?? 14 }),
      ...about,
    };
    const link = `${world.url}/card-update/${createLinkToken(claims, LINK_SECRET)}`;
    const { apiCalls } = world.sandbox.state;
    const before = apiCalls.length;
    const answers = [
      await follow(link, 'GET'),
      await follow(`${link}?done=1`, 'GET'),
      await follow(link, 'POST'),
    ];
    expect(answers).toEqual(asked.answers(claims.isAboutCard === true));
    const isGood = state === 'good';
    expect(apiCalls.slice(before).some(({ path }) => path === '/v1/billing_portal/sessions')).toBe(isGood);
    if (!isGood) expect(apiCalls.slice(before)).toEqual([]);
  },
);

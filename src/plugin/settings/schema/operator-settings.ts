/** Settings of what people and monitoring see. */

import { isRole, type Role } from '../../../core/web/sign-in/operators.ts';
import { ALLOWED, areOperators, NO_USERS, parseOperators } from './operator-entries.ts';
import { APP_SECRET, EVENTS_SECRET, NO_EVENTS_SECRET } from './setting-forms.ts';
import {
  address,
  chosenSecret,
  chosenSecrets,
  list,
  lower,
  part,
  secrets,
  setting,
  splitEntries,
  splitPair,
  text,
} from './setting-kinds.ts';

/** An id of a role of Stripe's Dashboard (stripe-facts 7.5). */
const APP_ROLE = /^(custom:)?\w{1,100}\s*=\s*(reader|operator)$/;
const NOTIFIED = /^(mailto:[^\s,<>"@]+@[^\s,<>"@]+|(slack(\+names)?:)?https?:\/\/\S+)$/;

/** One currency in which sums of several are shown. */
export interface ExchangeRates {
  /** Lower case; undefined: the currency with most at stake. */
  readonly currency: string | undefined;
  /** What one unit of another currency is worth in that one. */
  readonly rates: ReadonlyMap<string, number>;
}

const RATES =
  /^(?=(.*,)?\s*[A-Za-z]{3}\s*=\s*1(\.0+)?\s*(,|$))(\s*[A-Za-z]{3}\s*=\s*\d{1,9}(\.\d{1,9})?\s*(,(?!$)|$))+$/;
const NO_RATES = 'must be rates such as EUR=1,USD=0.92, one of them 1: the currency that the others lead to';

function readRates(value: string): ExchangeRates {
  const rates = new Map(
    splitEntries(value).map((entry) => {
      const [currency, rate] = splitPair(entry);
      return [currency.toLowerCase(), Number(rate)] as const;
    }),
  );
  const currency = [...rates].find(([, rate]) => rate === 1)?.[0];
  if (currency !== undefined) rates.delete(currency);
  return { currency, rates };
}

function readAppRole(entry: string): { readonly id: string; readonly may: 'reader' | 'operator' } {
  const [id, may] = splitPair(entry);
  return { id, may: may === 'operator' ? 'operator' : 'reader' };
}

/** A claim may be an address with a colon; the one that ends it has a space behind it. */
function readClaim(value: string): {
  readonly claim: string;
  readonly entries: readonly (readonly [string, string])[];
} {
  const [, claim = '', entries = ''] = /^(\S+):\s+(.*)$/.exec(value) ?? [];
  return { claim, entries: splitEntries(entries).map(splitPair) };
}

function hasRoles(value: string): boolean {
  const { claim, entries } = readClaim(value);
  return claim !== '' && entries.length > 0 && entries.every(([of, role]) => of !== '' && isRole(role));
}

function readRoles(value: string): { readonly claim: string; readonly byValue: ReadonlyMap<string, Role> } {
  const { claim, entries } = readClaim(value);
  const byValue = new Map(entries.flatMap(([of, role]) => (isRole(role) ? [[of, role] as const] : [])));
  return { claim, byValue };
}

export const OPERATOR_SETTINGS = {
  METRICS_TOKEN: setting(
    'Bearer token for `/metrics`, also of the stand-alone service, at least 24 characters; without it the path is off.',
    chosenSecret().optional(),
    { place: 'operator.metricsToken', isAdvanced: true },
  ),
  OPERATOR_TOKEN: part(
    'Bearer token for `/api/v1`, which can do all that an operator can, at least 24 characters; without it and OPERATOR_READ_TOKEN the path is off.',
    chosenSecret().optional(),
    { place: 'operator.token', isAdvanced: true },
  ),
  OPERATOR_READ_TOKEN: part(
    'Bearer token for `/api/v1` that may only read, at least 24 characters.',
    chosenSecret().optional(),
    { place: 'operator.readToken', isAdvanced: true },
  ),
  EVENTS_URL: part(
    'Address that receives events (recovered, gaveUp, resumed, attempted, emailed, needsAttention) as signed webhooks.',
    address().optional(),
    { place: 'events.url', isAdvanced: true },
  ),
  EVENTS_SECRET: part(
    'Signing secret of those webhooks, `whsec_` and 24 to 64 bytes in Base64 (Standard Webhooks). Required with EVENTS_URL.',
    text().regex(EVENTS_SECRET, NO_EVENTS_SECRET).optional(),
    { place: 'events.secret', isAdvanced: true },
  ),
  NOTIFY: part(
    'Who is told when something needs attention, and when it is over (`docs/how-to/alerts.md`), with commas: `mailto:ops@shop.example` (needs SMTP_URL; each morning at eight also what waits for a person), `slack:https://…` for an incoming webhook, which also gets a line for each recovered, given-up or waiting invoice (`slack+names:https://…`: with customers’ names), `https://…` for a POST of JSON. Keep the addresses secret: anybody who knows one can write there.',
    list(NOTIFIED, 'mailto:…, slack:https://… or https://…'),
    { place: 'notify', natural: 'list' },
  ),
  CONSOLE_PASSWORD: part(
    "Opens the operator's console (`/console`) to one operator, at least 24 characters. Without it, CONSOLE_USERS and OIDC_ISSUER the console is off.",
    chosenSecret().optional(),
    { place: 'console.password' },
  ),
  CONSOLE_USERS: part(
    'Several operators with names, `NAME:ROLE:scrypt:…` with commas; `npx stripe-payment-retry hash-password NAME --role reader --totp` makes an entry (docs/how-to/console.md).',
    text().refine(areOperators, NO_USERS).transform(parseOperators).optional(),
    { place: 'console.users', natural: 'list', isAdvanced: true },
  ),
  OIDC_ISSUER: part(
    'Operators sign in to the console with OpenID Connect at this provider. Its redirect address is `PUBLIC_URL/console/openid-callback`.',
    address().optional(),
    { place: 'console.openId.issuer', shown: 'address', isAdvanced: true },
  ),
  OIDC_CLIENT_ID: part('Required with OIDC_ISSUER.', text().optional(), {
    place: 'console.openId.clientId',
    shown: 'open',
    isAdvanced: true,
  }),
  OIDC_CLIENT_SECRET: part('Required with OIDC_ISSUER.', text().optional(), {
    place: 'console.openId.clientSecret',
    isAdvanced: true,
  }),
  OIDC_ALLOWED: part(
    'Whose verified email address opens the console: addresses and domains with commas, `anna@shop.example,@ops.example`. Required with OIDC_ISSUER.',
    list(ALLOWED, 'addresses or @domains', lower),
    { place: 'console.openId.allowed', natural: 'list', shown: 'open', isAdvanced: true },
  ),
  OIDC_ROLES: part(
    'Claim of the identity token that names roles, and the role for each of its values: `groups: finance=operator,audit=reader,payments-admins=administrator`. The highest counts; without a role there is no access. Unset, everybody with access is an administrator.',
    text()
      .refine(hasRoles, 'must have the form groups: finance=operator,audit=reader')
      .transform(readRoles)
      .optional(),
    { place: 'console.openId.roles', natural: 'claim', shown: 'open', isAdvanced: true },
  ),
  STRIPE_APP_SECRET: part(
    "Signing secret of the Stripe App (`absec_…`), two with a comma while rotating; opens `/app/request` to the app's views, without it the path is off.",
    secrets(2, APP_SECRET).optional(),
    { place: 'stripeApp.secret', natural: 'list', isAdvanced: true },
  ),
  STRIPE_APP_ROLES: setting(
    "What roles of Stripe's Dashboard may do in the Stripe App, with commas: `reader` sees, `operator` also retries, postpones, stops, releases and sends an email again. A custom role is `custom:ID`. The default follows the Dashboard's own rights.",
    list(APP_ROLE, 'entries such as analyst=operator', readAppRole).prefault(
      'super_admin=operator,admin=operator,analyst=operator,developer=reader,support_specialist=reader,view_only=reader,refund_analyst=reader,dispute_analyst=reader',
    ),
    { place: 'stripeApp.roles', natural: 'roles', shown: 'open', isAdvanced: true },
  ),
  ACCOUNT_SETTINGS_KEY: part(
    'Encrypts the service keys and callback tokens that connected accounts save in the Stripe App, at least 24 characters; two with a comma while rotating (docs/how-to/connected-accounts.md). Without it they can save none.',
    chosenSecrets(2).optional(),
    { place: 'connect.settingsKey', natural: 'list', isAdvanced: true },
  ),
  EXCHANGE_RATES: setting(
    'Currency in which the console adds up several, with the rate 1, and what one unit of the others is worth in it, with commas: `EUR=1,USD=0.92,JPY=0.0061`. What has no rate is shown next to the total. By default the currency with most at stake.',
    text().regex(RATES, NO_RATES).transform(readRates).default({ currency: undefined, rates: new Map() }),
    {
      place: 'console.exchangeRates',
      natural: 'rates',
      usual: 'the largest',
      shown: 'open',
      isAdvanced: true,
    },
  ),
} as const;

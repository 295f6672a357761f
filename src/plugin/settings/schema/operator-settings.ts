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
  splitPair,
  text,
} from './setting-kinds.ts';

/** An id of a role of Stripe's Dashboard (stripe-facts 7.5). */
const ROLE = /^(custom:)?\w{1,100}$/;
const ROLES = 'ids of roles such as view_only';
const NOTIFIED = /^(mailto:[^\s,<>"@]+@[^\s,<>"@]+|(slack:)?https?:\/\/\S+)$/;

function readRate(entry: string): [string, number] {
  const [currency, rate] = splitPair(entry);
  return [currency.toLowerCase(), Number(rate)];
}

function readRole(entry: string): [string, Role] {
  const [value, role] = splitPair(entry);
  return [value, isRole(role) ? role : 'reader'];
}

export const OPERATOR_SETTINGS = {
  METRICS_TOKEN: setting(
    'Bearer token for `/metrics`, also of the stand-alone service, at least 24 characters; without it the path is off.',
    chosenSecret().optional(),
  ),
  OPERATOR_TOKEN: part(
    'Bearer token for `/api/v1`, which can do all that an operator can, at least 24 characters; without it and OPERATOR_READ_TOKEN the path is off.',
    chosenSecret().optional(),
  ),
  OPERATOR_READ_TOKEN: part(
    'Bearer token for `/api/v1` that may only read, at least 24 characters.',
    chosenSecret().optional(),
  ),
  EVENTS_URL: part(
    'Address that receives events (recovered, gaveUp, attempted, mailed, needsAttention) as signed webhooks.',
    address().optional(),
  ),
  EVENTS_SECRET: part(
    'Signing secret of those webhooks, `whsec_` and 24 to 64 bytes in Base64 (Standard Webhooks). Required with EVENTS_URL.',
    text().regex(EVENTS_SECRET, NO_EVENTS_SECRET).optional(),
  ),
  NOTIFY: part(
    'Who is told when something needs attention, and when it is over (`docs/how-to/alerts.md`), with commas: `mailto:ops@shop.example` (needs SMTP_URL; each morning at eight also what waits for a person), `slack:https://…` for an incoming webhook, `https://…` for a POST of JSON. Keep the addresses secret: anybody who knows one can write there.',
    list(NOTIFIED, 'mailto:…, slack:https://… or https://…'),
  ),
  CONSOLE_PASSWORD: part(
    "Opens the operator's console (`/console`) to one operator, at least 24 characters. Without it, CONSOLE_USERS and OIDC_ISSUER the console is off.",
    chosenSecret().optional(),
  ),
  CONSOLE_USERS: part(
    'Several operators with names, `NAME:ROLE:scrypt:…` with commas; `npx stripe-payment-retry hash-password NAME --role reader --totp` makes an entry (docs/how-to/console.md).',
    text().refine(areOperators, NO_USERS).transform(parseOperators).optional(),
  ),
  OIDC_ISSUER: part(
    'Operators sign in to the console with OpenID Connect at this provider. Its redirect address is `PUBLIC_URL/console/openid-callback`.',
    address().optional(),
    { shown: 'address' },
  ),
  OIDC_CLIENT_ID: part('Required with OIDC_ISSUER.', text().optional(), { shown: 'open' }),
  OIDC_CLIENT_SECRET: part('Required with OIDC_ISSUER.', text().optional()),
  OIDC_ALLOWED: part(
    'Whose verified e-mail address opens the console: addresses and domains with commas, `anna@shop.example,@ops.example`. Required with OIDC_ISSUER.',
    list(ALLOWED, 'addresses or @domains', lower),
    { shown: 'open' },
  ),
  OIDC_ROLE_CLAIM: part(
    'Claim of the identity token that names roles, such as `groups`; without it everybody with access is an administrator.',
    text().optional(),
    { shown: 'open' },
  ),
  OIDC_ROLES: part(
    'Role for each value of that claim, with commas: `finance=operator,audit=reader,payments-admins=administrator`. The highest counts; without a role there is no access. Required with OIDC_ROLE_CLAIM.',
    list(/^[^=]+=(reader|operator|administrator)$/, 'entries such as finance=operator', readRole),
    { shown: 'open' },
  ),
  STRIPE_APP_SECRET: part(
    "Signing secret of the Stripe App (`absec_…`), two with a comma while rotating; opens `/app/request` to the app's views, without it the path is off.",
    secrets(2, APP_SECRET).optional(),
  ),
  STRIPE_APP_READERS: setting(
    "Roles of Stripe's Dashboard that may read in the Stripe App, with commas; by default those that see customers and invoices in the Dashboard. A custom role is `custom:ID`.",
    list(ROLE, ROLES).prefault(
      'super_admin,admin,developer,analyst,support_specialist,view_only,refund_analyst,dispute_analyst',
    ),
    { shown: 'open' },
  ),
  STRIPE_APP_OPERATORS: setting(
    'Roles of the Dashboard that may retry, postpone, stop, release and send a mail again in the Stripe App; by default those that may charge an invoice in the Dashboard.',
    list(ROLE, ROLES).prefault('super_admin,admin,analyst'),
    { shown: 'open' },
  ),
  ACCOUNT_SETTINGS_KEY: part(
    'Encrypts the service keys and callback tokens that connected accounts save in the Stripe App, at least 24 characters; two with a comma while rotating (docs/how-to/connected-accounts.md). Without it they can save none.',
    chosenSecrets(2).optional(),
  ),
  REPORT_CURRENCY: part(
    'Currency in which the console adds up several currencies; by default the one with most at stake.',
    text()
      .regex(/^[A-Za-z]{3}$/, 'must be a currency such as EUR')
      .optional(),
    { usual: 'the largest', shown: 'open' },
  ),
  EXCHANGE_RATES: part(
    'What one unit of other currencies is worth in `REPORT_CURRENCY`, with commas: `USD=0.92,JPY=0.0061`. What has no rate is shown beside the total.',
    list(/^[A-Za-z]{3}\s*=\s*\d{1,9}(\.\d{1,9})?$/, 'rates such as USD=0.92', readRate),
    { shown: 'open' },
  ),
} as const;

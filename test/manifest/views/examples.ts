/** Answers of the backend for the views' tests and pictures, of the types that the backend returns. */
import type {
  CustomerAnswer,
  KnownInvoice,
  OfferedOperation,
  OnboardingAnswer,
  SettingsAnswer,
  WorkAnswer,
} from '../../../manifest/private/src/answers.ts';

const ID = 'in_1SxQ4tKe8nVb2Hrd';

export const RETRY: OfferedOperation = {
  request: 'retry',
  parameters: {},
  title: 'Retry now',
  button: 'Charge the customer now',
  isDangerous: false,
  asksUntil: false,
  refusal: null,
  will: 'Charge €24.90 to Visa •••• 4123 of Wanda Nowak now; 1 of 8 attempts used.',
};
const POSTPONE: OfferedOperation = {
  request: 'postpone',
  parameters: {},
  title: 'Postpone',
  button: 'Postpone',
  isDangerous: false,
  asksUntil: true,
  refusal: null,
  will: 'Put off 1 payment at Mar 3, 2026, 2:00 PM until the time you choose, at most 90 days from now.',
};
const EMAIL: OfferedOperation = {
  request: 'sendEmailAgain',
  parameters: {},
  title: 'Send the email again',
  button: 'Send it again',
  isDangerous: false,
  asksUntil: false,
  refusal: null,
  will: 'Send wanda.nowak@example.com the email asking for another card now, whatever the usual hours.',
};
const STOP: OfferedOperation = {
  request: 'stop',
  parameters: {},
  title: 'Stop',
  button: 'Stop collecting it',
  isDangerous: true,
  asksUntil: false,
  refusal: null,
  will: 'Close 1 payment at Mar 3, 2026, 2:00 PM; nobody is charged or emailed about it until it is released.',
};

export const INVOICE: KnownInvoice = {
  id: ID,
  isKnown: true,
  amount: 2_490,
  currency: 'eur',
  customer: 'Wanda Nowak',
  standing: { label: 'Retry tomorrow', tone: 'info' },
  need: null,
  status: [
    {
      about: 'The service',
      text: 'The bank says that money is missing; a payday is likely. (decided Mar 2, 2026, 9:00 AM)',
    },
    { about: 'Next', text: 'Payment at Mar 3, 2026, 2:00 PM' },
  ],
  timeline: [
    {
      at: '2026-03-02T09:00:00.000Z',
      text: 'The service asked: retry at Mar 3, 2026, 2:00 PM; planned',
    },
    {
      at: '2026-03-02T08:30:00.000Z',
      text: 'Email "please update your card" to wanda.nowak@example.com: sent',
    },
    {
      at: '2026-03-02T05:00:00.000Z',
      text: 'Charge by Stripe of €24.90 with Visa: declined, insufficient funds',
    },
  ],
  mayOperate: true,
  operations: [RETRY, POSTPONE, EMAIL, STOP],
};

/** A payment that waits for a person. */
export const UNDECIDED: KnownInvoice = {
  ...INVOICE,
  standing: { label: 'Needs attention', tone: 'warn' },
  need: {
    words: 'Payment to be confirmed by you',
    advice: 'A new card would pay more, or an older invoice, than it may without you (CARD_CHANGE_…).',
    title: 'Confirm',
    inStripe: null,
  },
  status: [
    {
      about: 'Held',
      text: 'Payment needs a decision: new cards of the customer would pay €124.50 within a day, more than €100.00 (CARD_CHANGE_MAX_TOTAL)',
    },
    { about: 'Next', text: 'No action scheduled; the service may ask for one' },
  ],
  // An email was sent, the customer gave another card, and its payment waits.
  timeline: INVOICE.timeline.slice(1),
  operations: [
    {
      request: 'release',
      parameters: {},
      title: 'Confirm',
      button: 'Make the payment',
      isDangerous: false,
      asksUntil: false,
      refusal: null,
      will: 'Make the payment of €24.90 that waits for you, within minutes.',
    },
    { ...RETRY, will: null, refusal: '24 hours between attempts; possible from Mar 3, 2026, 5:00 AM.' },
    POSTPONE,
    EMAIL,
    STOP,
  ],
};

export const CUSTOMER: CustomerAnswer = {
  isKnown: true,
  standing: 'In recovery since Feb 2, 2026',
  access: 'Allowed while the recovery runs, until Mar 12, 2026, 5:00 AM',
  controlGroup: null,
  isPaused: false,
  invoices: [
    {
      invoice: 'in_1SnLw2Ke8nVb2Hqa',
      plan: null,
      amount: 9_900,
      currency: 'jpy',
      failedAt: '2026-02-02T05:00:00.000Z',
      attempts: 3,
      next: null,
    },
    {
      invoice: ID,
      plan: 'Tea box',
      amount: 2_490,
      currency: 'eur',
      failedAt: '2026-03-02T05:00:00.000Z',
      attempts: 1,
      next: { what: 'Payment', at: '2026-03-03T14:00:00.000Z' },
    },
  ],
  emails: [{ what: 'Please update your card', state: 'sent', createdAt: '2026-03-02T08:30:00.000Z' }],
  cards: [
    {
      brand: 'visa',
      last4: '4123',
      lastAt: '2026-03-02T05:00:00.000Z',
      attempts: 1,
      health: 'retryable',
      reason: 'insufficient_funds',
    },
    {
      brand: 'mastercard',
      last4: '8210',
      lastAt: '2026-02-16T05:00:00.000Z',
      attempts: 2,
      health: 'needs_new_card',
      reason: 'lost_card',
    },
  ],
  cardDays: 30,
};

const NOWAK = { invoiceId: ID, customerId: 'cus_TqN2Wanda0wk', customer: 'Wanda Nowak' };
const LEFEVRE = {
  invoiceId: 'in_1SxPm7Ke8nVb2Hr9',
  customerId: 'cus_TmL7Lefevre4',
  customer: 'Maison Lefèvre',
};
const KELLER = {
  invoiceId: 'in_1SwZ01Ke8nVb2Hr2',
  customerId: 'cus_TkJ3Keller88',
  customer: 'jonas@keller.example',
};
const CONFIRM = 'Payment to be confirmed by you';
const NO_ADDRESS = 'No email address';
const UNANSWERED = 'Asked without an answer';

export const WORK: WorkAnswer = {
  pausedSince: null,
  timeZone: 'Europe/Berlin',
  months: [
    {
      month: '2026-03',
      sums: [
        {
          currency: 'eur',
          failed: { invoices: 31, amount: 184_310 },
          recovered: { invoices: 12, amount: 61_200 },
          inRecovery: { invoices: 19, amount: 123_110 },
          lost: { invoices: 0, amount: 0 },
        },
      ],
    },
    {
      month: '2026-02',
      sums: [
        {
          currency: 'eur',
          failed: { invoices: 150, amount: 650_000 },
          recovered: { invoices: 118, amount: 520_000 },
          inRecovery: { invoices: 8, amount: 30_000 },
          lost: { invoices: 24, amount: 100_000 },
        },
        {
          currency: 'gbp',
          failed: { invoices: 1, amount: 2_900 },
          recovered: { invoices: 0, amount: 0 },
          inRecovery: { invoices: 1, amount: 2_900 },
          lost: { invoices: 0, amount: 0 },
        },
      ],
    },
  ],
  unpaid: [
    { currency: 'eur', invoices: 27, amount: 153_110 },
    { currency: 'gbp', invoices: 1, amount: 2_900 },
  ],
  mayOperate: true,
  causes: [
    {
      code: 'undecided',
      words: CONFIRM,
      title: 'Confirm',
      inStripe: null,
      count: 1,
      advice: 'A new card would pay more, or an older invoice, than it may without you (CARD_CHANGE_…).',
      money: [{ currency: 'eur', amount: 2_490 }],
      invoices: [{ ...NOWAK, amount: 2_490, currency: 'eur', waitUntil: null }],
    },
    {
      code: 'no_address',
      words: NO_ADDRESS,
      title: 'Add an address in Stripe',
      inStripe: 'customers',
      advice:
        'An email would be right, and the customer has no address. Add one in Stripe, then send the email.',
      count: 1,
      money: [{ currency: 'eur', amount: 48_000 }],
      invoices: [{ ...LEFEVRE, amount: 48_000, currency: 'eur', waitUntil: null }],
    },
    {
      code: 'unanswered',
      words: UNANSWERED,
      title: 'Ask once more',
      inStripe: null,
      count: 3,
      advice:
        'The customer was asked often enough and did not act. Call, ask once more, or write it off in Stripe.',
      money: [
        { currency: 'eur', amount: 12_400 },
        { currency: 'gbp', amount: 2_900 },
      ],
      invoices: [{ ...KELLER, amount: 2_900, currency: 'gbp', waitUntil: null }],
    },
  ],
};

export const SETTINGS: SettingsAnswer = {
  accountId: 'acct_1QbW3fKe8nVb2Hrd',
  server: 'billing.example.com',
  service: 'embedded',
  mode: 'advisory',
  hasEmail: true,
  emailWindow: { fromMinute: 480, toMinute: 1_200, timeZone: 'Europe/Berlin' },
  pause: null,
  mayConfigure: true,
  own: null,
};

/** The settings of a connected account. */
export const CONNECTED: SettingsAnswer = {
  ...SETTINGS,
  service: 'retry.example.com',
  own: {
    businessEntity: 'Nordlicht Kaffee GmbH',
    credentials: 'set',
    savedAt: '2026-03-02T10:00:00.000Z',
    takesCredentials: true,
    callbackUrl: 'https://billing.example.com/accounts/acct_1QbW3fKe8nVb2Hrd/recovery_action',
  },
};

export const ONBOARDING: OnboardingAnswer = {
  checks: [
    { code: 'settings', state: 'ok', title: 'Settings', detail: 'mode advisory, live mode', remedy: null },
    {
      code: 'events',
      state: 'waiting',
      title: 'Events arrive from Stripe',
      detail: '',
      remedy: 'None has come yet: the first change of a subscription or an invoice brings one.',
    },
    {
      code: 'mail_server',
      state: 'warning',
      title: 'Email server',
      detail: 'none',
      remedy:
        'Set SMTP_URL, EMAIL_FROM and LINK_SECRET, or `email.send` in code. Without a way to send email, no customer is asked for a new card.',
    },
    {
      code: 'webhook_endpoint',
      state: 'problem',
      title: 'Webhook endpoint at Stripe',
      detail: 'none for https://billing.example.com/webhooks/stripe',
      remedy:
        '`connect` creates or repairs it. Without the permission Webhook Endpoints (write), do it in the Dashboard: Developers, Webhooks.',
    },
    {
      code: 'stripe_settings',
      state: 'look',
      title: "Stripe's own retries and emails",
      detail: '',
      remedy:
        'In advisory mode leave the retries on; switch off emails that ask for a new card if ours go out. The Stripe API does not show them. Dashboard: Billing, Revenue recovery, Retries and Emails.',
    },
  ],
};

/** Answers of the backend for the views' tests and pictures. The backend's own tests say that they have this form. */
import type {
  CustomerAnswer,
  KnownInvoice,
  OnboardingAnswer,
  Operation,
  OverviewAnswer,
  SettingsAnswer,
  WorkListAnswer,
} from '../../../manifest/src/backend-data.ts';

const ID = 'in_1SxQ4tKe8nVb2Hrd';

export const RETRY: Operation = {
  request: 'retry',
  parameters: {},
  title: 'Retry now',
  button: 'Charge the customer now',
  isDangerous: false,
  asksUntil: false,
  refusal: null,
  will: 'Charge €24.90 to Visa •••• 4123 of Wanda Nowak now; 1 of 8 attempts used.',
};
const POSTPONE: Operation = {
  request: 'postpone',
  parameters: {},
  title: 'Postpone',
  button: 'Postpone',
  isDangerous: false,
  asksUntil: true,
  refusal: null,
  will: 'Put off 1 payment at Mar 3, 2026, 2:00 PM until the time you choose, at most 90 days from now.',
};
const MAIL: Operation = {
  request: 'sendMailAgain',
  parameters: {},
  title: 'Send the mail again',
  button: 'Send it again',
  isDangerous: false,
  asksUntil: false,
  refusal: null,
  will: 'Send wanda.nowak@example.com the mail asking for another card now, whatever the usual hours.',
};
const STOP: Operation = {
  request: 'stop',
  parameters: {},
  title: 'Stop',
  button: 'Stop collecting it',
  isDangerous: true,
  asksUntil: false,
  refusal: null,
  will: 'Close 1 payment at Mar 3, 2026, 2:00 PM; nobody is charged or mailed about it until it is released.',
};

export const INVOICE: KnownInvoice = {
  id: ID,
  isKnown: true,
  amount: 2_490,
  currency: 'eur',
  customer: 'Wanda Nowak',
  state: 'planned',
  standing: { label: 'Retry tomorrow', tone: 'info' },
  need: null,
  next: [{ what: 'Payment', at: '2026-03-03T14:00:00.000Z', why: null }],
  stripeTriesAt: null,
  obstacles: [],
  timeline: [
    {
      at: '2026-03-02T09:00:00.000Z',
      what: 'instruction',
      text: 'the service asked: retry at Mar 3, 2026, 2:00 PM; planned',
    },
    {
      at: '2026-03-02T08:30:00.000Z',
      what: 'mail',
      text: 'mail "please update your card" to wanda.nowak@example.com: sent',
    },
    {
      at: '2026-03-02T05:00:00.000Z',
      what: 'charge',
      text: 'charge by Stripe of €24.90 with Visa: declined, insufficient funds',
    },
  ],
  mayOperate: true,
  operations: [RETRY, POSTPONE, MAIL, STOP],
};

/** A payment that waits for a person. */
export const UNDECIDED: KnownInvoice = {
  ...INVOICE,
  state: 'needs_decision',
  standing: { label: 'Needs you', tone: 'warn' },
  need: {
    words: 'Payment to be confirmed by you',
    advice: 'A new card would pay more, or an older invoice, than it may without you (CARD_CHANGE_…).',
    title: 'Confirm',
    inStripe: null,
  },
  next: [],
  obstacles: [
    'New cards of the customer would pay €124.50 within a day, more than €100.00 (CARD_CHANGE_MAX_TOTAL)',
  ],
  // A mail was sent, the customer gave another card, and its payment waits.
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
    MAIL,
    STOP,
  ],
};

const CASES: CustomerAnswer['cases'] = [
  {
    invoiceId: ID,
    standing: { label: 'Retry tomorrow', tone: 'info' },
    why: null,
    amount: 2_490,
    currency: 'eur',
    failedAt: '2026-03-02T05:00:00.000Z',
    attempts: 1,
    next: 'Payment',
    nextAt: '2026-03-03T14:00:00.000Z',
  },
  {
    invoiceId: 'in_1SnLw2Ke8nVb2Hqa',
    standing: { label: 'Needs you', tone: 'warn' },
    why: 'Asked without an answer',
    amount: 9_900,
    currency: 'jpy',
    failedAt: '2026-02-02T05:00:00.000Z',
    attempts: 3,
    next: null,
    nextAt: null,
  },
  {
    invoiceId: 'in_1SccQ8Ke8nVb2Hpp',
    standing: { label: 'Back', tone: 'good' },
    why: null,
    amount: 2_490,
    currency: 'eur',
    failedAt: '2026-01-02T05:00:00.000Z',
    attempts: 2,
    next: null,
    nextAt: null,
  },
];

export const CUSTOMER: CustomerAnswer = {
  cases: CASES,
  mails: [
    {
      invoiceId: ID,
      what: 'Please update your card',
      state: 'sent',
      createdAt: '2026-03-02T08:30:00.000Z',
    },
  ],
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

const SUMS = {
  money: [
    {
      currency: 'eur',
      atRiskInvoices: 31,
      atRiskAmount: 184_310,
      recoveredInvoices: 118,
      recoveredAmount: 521_760,
      recoveredGross: 529_230,
      disputes: 1,
      disputed: 2_689,
      dueInvoices: 19,
      dueAmount: 97_440,
    },
    {
      currency: 'gbp',
      atRiskInvoices: 4,
      atRiskAmount: 11_600,
      recoveredInvoices: 1,
      recoveredAmount: 2_900,
      recoveredGross: 2_900,
      disputes: 0,
      disputed: 0,
      dueInvoices: 3,
      dueAmount: 8_700,
    },
  ],
  recoveredDays: 30,
  dueDays: 7,
  pausedSince: null,
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
const NO_ADDRESS = 'No e-mail address';
const UNANSWERED = 'Asked without an answer';

export const OVERVIEW: OverviewAnswer = {
  ...SUMS,
  attention: [
    { ...NOWAK, amount: 2_490, currency: 'eur', why: CONFIRM, waitUntil: null },
    { ...LEFEVRE, amount: 48_000, currency: 'eur', why: NO_ADDRESS, waitUntil: null },
    { ...KELLER, amount: 2_900, currency: 'gbp', why: UNANSWERED, waitUntil: null },
  ],
};

export const WORK_LIST: WorkListAnswer = {
  ...SUMS,
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
      invoices: [{ ...NOWAK, amount: 2_490, currency: 'eur', why: CONFIRM, waitUntil: null }],
    },
    {
      code: 'no_address',
      words: NO_ADDRESS,
      title: 'Add an address in Stripe',
      inStripe: 'customers',
      advice:
        'A mail would be right, and the customer has no address. Add one in Stripe, then send the mail.',
      count: 1,
      money: [{ currency: 'eur', amount: 48_000 }],
      invoices: [{ ...LEFEVRE, amount: 48_000, currency: 'eur', why: NO_ADDRESS, waitUntil: null }],
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
      invoices: [{ ...KELLER, amount: 2_900, currency: 'gbp', why: UNANSWERED, waitUntil: null }],
    },
  ],
};

export const SETTINGS: SettingsAnswer = {
  accountId: 'acct_1QbW3fKe8nVb2Hrd',
  isOwnAccount: true,
  server: 'billing.example.com',
  service: 'embedded',
  mode: 'advisory',
  hasMail: true,
  mailWindow: { fromMinute: 480, toMinute: 1_200, timeZone: 'Europe/Berlin' },
  pause: null,
  mayConfigure: true,
  own: null,
};

/** Of an account that has installed the app. */
export const CONNECTED: SettingsAnswer = {
  ...SETTINGS,
  isOwnAccount: false,
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
    { code: 'settings', state: 'ok', title: 'Settings', detail: 'mode advisory, live mode' },
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
      title: 'Mail server',
      detail: 'none',
      remedy:
        'Set SMTP_URL, EMAIL_FROM and LINK_SECRET, or pass `sendMail` to createPlugin. Without a way to send email, no customer is asked for a new card.',
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
      title: "Stripe's own retries and mails",
      detail: '',
      remedy:
        'In advisory mode leave the retries on; switch off mails that ask for a new card if ours go out. The Stripe API does not show them. Dashboard: Billing, Revenue recovery, Retries and Emails.',
    },
  ],
};

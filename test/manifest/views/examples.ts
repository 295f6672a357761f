/** Answers of the backend for the views' tests and pictures. The backend's own tests say that they have this form. */
import type {
  CustomerAnswer,
  KnownInvoice,
  OnboardingAnswer,
  OverviewAnswer,
  SettingsAnswer,
} from '../../../manifest/src/backend-data.ts';

export const INVOICE: KnownInvoice = {
  id: 'in_1',
  isKnown: true,
  invoice: { status: 'open', amountRemaining: 1_250, currency: 'eur' },
  state: 'planned',
  next: [{ what: 'Payment', at: '2026-03-03T14:00:00.000Z', why: null }],
  stripeTriesAt: null,
  obstacles: [],
  timeline: [
    {
      at: '2026-03-02T09:00:00.000Z',
      what: 'instruction',
      text: 'the service asked: retry at Mar 3, 2026, 2:00 PM',
    },
    {
      at: '2026-03-02T05:00:00.000Z',
      what: 'charge',
      text: 'charge by Stripe of €12.50 with Visa: declined',
    },
  ],
  mayOperate: true,
};

const CASES: CustomerAnswer['cases'] = [
  {
    invoiceId: 'in_1',
    state: 'open',
    amount: 1_250,
    currency: 'eur',
    failedAt: '2026-03-02T05:00:00.000Z',
    attempts: 1,
    next: 'Payment',
    nextAt: '2026-03-03T14:00:00.000Z',
  },
  {
    invoiceId: 'in_2',
    state: 'waiting',
    amount: 9_900,
    currency: 'jpy',
    failedAt: '2026-02-02T05:00:00.000Z',
    attempts: 3,
    next: null,
    nextAt: null,
  },
];

export const CUSTOMER: CustomerAnswer = {
  cases: CASES,
  mails: [
    {
      invoiceId: 'in_1',
      what: 'Please update your card',
      state: 'sent',
      createdAt: '2026-03-02T08:00:00.000Z',
    },
  ],
  cards: [
    {
      brand: 'visa',
      last4: '4242',
      lastAt: '2026-03-02T05:00:00.000Z',
      attempts: 1,
      health: 'retryable',
      reason: 'insufficient_funds',
    },
  ],
  cardDays: 30,
};

export const OVERVIEW: OverviewAnswer = {
  money: [
    {
      currency: 'eur',
      atRiskInvoices: 2,
      atRiskAmount: 3_250,
      recoveredInvoices: 1,
      recoveredAmount: 700,
      recoveredGross: 700,
      dueInvoices: 1,
      dueAmount: 1_250,
    },
  ],
  recoveredDays: 30,
  dueDays: 7,
  attention: [
    {
      invoiceId: 'in_2',
      customer: 'Ada Example',
      amount: 2_000,
      currency: 'eur',
      why: 'Payment to be confirmed by you',
    },
  ],
  pausedSince: null,
};

export const SETTINGS: SettingsAnswer = {
  accountId: 'acct_1',
  isOwnAccount: true,
  server: 'billing.example.com',
  service: 'embedded',
  mode: 'advisory',
  hasMail: true,
  mailWindow: { fromMinute: 480, toMinute: 1_200, timeZone: 'UTC' },
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
    businessEntity: null,
    credentials: 'set',
    savedAt: '2026-03-02T10:00:00.000Z',
    takesCredentials: true,
    callbackUrl: 'https://billing.example.com/accounts/acct_1/recovery_action',
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
      remedy: 'Set SMTP_URL, EMAIL_FROM and LINK_SECRET.',
    },
    {
      code: 'webhook_endpoint',
      state: 'problem',
      title: 'Webhook endpoint at Stripe',
      detail: 'none for https://billing.example.com/webhooks/stripe',
      remedy: '`connect` makes or mends it.',
    },
    { code: 'stripe_settings', state: 'look', title: "Stripe's own retries and mails", detail: '' },
  ],
};

/** @jsxRuntime automatic @jsxImportSource react */
/** Every view in every state, as the Dashboard's own test renderer shows it. */
import { createHash } from 'node:crypto';
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { render } from '@stripe/ui-extension-sdk/testing';
import { DateField, FocusView, OnboardingView, SettingsView, Spinner } from '@stripe/ui-extension-sdk/ui';
import { type ComponentType, useState } from 'react';
import AppSettings from '../../../manifest/src/views/AppSettings.tsx';
import CustomerRecovery from '../../../manifest/src/views/CustomerRecovery.tsx';
import InvoiceRecovery from '../../../manifest/src/views/InvoiceRecovery.tsx';
import Onboarding from '../../../manifest/src/views/Onboarding.tsx';
import PaymentRecovery from '../../../manifest/src/views/PaymentRecovery.tsx';
import RecoveryOverview from '../../../manifest/src/views/RecoveryOverview.tsx';
import RecoveryPage from '../../../manifest/src/views/RecoveryPage.tsx';
import SubscriptionRecovery from '../../../manifest/src/views/SubscriptionRecovery.tsx';
import {
  answer,
  answerRequests,
  BACKENDS,
  contextOf,
  type Dashboard,
  listParts,
  plain,
  readText,
  show,
  showDashboard,
} from './dashboard.tsx';
import {
  CONNECTED,
  CUSTOMER,
  INVOICE,
  ONBOARDING,
  OVERVIEW,
  SETTINGS,
  UNDECIDED,
  WORK_LIST,
} from './examples.ts';

const dashboard: Dashboard = { requests: [], replies: {} };
/** What Stripe was given to sign: it travels in an address. */
const signed: object[] = [];
/** How often the page around the view was told to read again. */
let refreshes = 0;
let putBack: () => void;
beforeAll(() => {
  putBack = answerRequests(dashboard);
});
beforeEach(() => {
  signed.length = 0;
  refreshes = 0;
  const sign = (payload: object) => {
    signed.push(payload);
    return 't=1,v1=x';
  };
  showDashboard(sign, () => {
    refreshes += 1;
  });
  dashboard.requests.length = 0;
  dashboard.replies = {};
});
afterAll(() => putBack());

type View = ComponentType<ExtensionContextValue>;

interface Example {
  name: string;
  View: View;
  request: string;
  full: object;
  empty: object;
  says: string[];
  saysWhenEmpty: string;
}

const VIEWS: Example[] = [
  {
    name: 'invoice',
    View: InvoiceRecovery,
    request: 'invoice',
    full: INVOICE,
    empty: { id: 'in_1', isKnown: false },
    says: ['€24.90', 'Retry tomorrow', 'Wanda Nowak', 'Payment', 'Timeline', 'The service asked'],
    saysWhenEmpty: 'nothing to recover',
  },
  {
    name: 'payment',
    View: PaymentRecovery,
    request: 'payment',
    full: INVOICE,
    empty: { id: 'pi_1', isKnown: false },
    says: ['€24.90', 'Open the invoice', 'Retry tomorrow', 'Retry now', 'The service asked'],
    saysWhenEmpty: 'nothing to recover',
  },
  {
    name: 'subscription',
    View: SubscriptionRecovery,
    request: 'subscription',
    full: CUSTOMER,
    empty: { cases: [] },
    says: [
      '€24.90',
      'Payment: Mar 3, 2026',
      '¥9,900',
      'Needs you',
      'Asked without an answer · Failed Feb 2',
      'Back',
    ],
    saysWhenEmpty: 'No failed payments are known.',
  },
  {
    name: 'customer',
    View: CustomerRecovery,
    request: 'customer',
    full: CUSTOMER,
    empty: { cases: [], mails: [], cards: [], cardDays: 30 },
    says: [
      '€24.90',
      'Visa •••• 4123',
      'May work later',
      'Insufficient funds',
      '1 attempt in 30 days',
      'Please update your card',
    ],
    saysWhenEmpty: 'No card was charged yet.',
  },
  {
    name: 'overview',
    View: RecoveryOverview,
    request: 'overview',
    full: OVERVIEW,
    empty: { ...OVERVIEW, money: [], attention: [] },
    says: [
      'At risk now | €1,843.10 · 31 invoices',
      'Came back in 30 days | €5,217.60 · 118 invoices (€5,292.30 before refunds and lost disputes; includes 1 open dispute, €26.89)',
      'Came back in 30 days | £29.00 · 1 invoice',
      'Due within 7 days',
      'Wanda Nowak',
      'Payment to be confirmed by you | €24.90',
      'jonas@keller.example',
    ],
    saysWhenEmpty: 'nothing is at risk',
  },
  {
    name: 'full page',
    View: RecoveryPage,
    request: 'worklist',
    full: WORK_LIST,
    empty: { ...WORK_LIST, money: [], causes: [] },
    says: [
      'Work list | Overview',
      'Payment to be confirmed by you · 1 invoice, €24.90',
      'Wanda Nowak',
      'Asked without an answer · 3 invoices, €124.00 + £29.00',
      '… and 2 more',
      'At risk now | €1,843.10 · 31 invoices',
    ],
    saysWhenEmpty: 'No invoice needs you.',
  },
  {
    name: 'settings',
    View: AppSettings,
    request: 'settings',
    full: SETTINGS,
    empty: { ...SETTINGS, hasMail: false },
    says: [
      'billing.example.com',
      'On the server',
      "Advisory: beside Stripe's own retries",
      'Stripe mode | Live',
      'Disconnect',
    ],
    saysWhenEmpty: 'Not set up',
  },
  {
    name: 'onboarding',
    View: Onboarding,
    request: 'onboarding',
    full: ONBOARDING,
    empty: { checks: [] },
    says: [
      'Events arrive from Stripe',
      'None has come yet',
      '“connect” creates or repairs it.',
      'Check again',
    ],
    saysWhenEmpty: 'Set up payment recovery',
  },
];

describe.each(VIEWS)('the view $name', ({ View, request, full, empty, says, saysWhenEmpty }) => {
  test('the view shows that it is loading until the server answers', async () => {
    let arrive: (reply: { body: object }) => void = () => undefined;
    dashboard.replies[request] = new Promise((resolve) => {
      arrive = resolve;
    });
    const { wrapper, settle, text } = await show(View);
    expect(wrapper.find(Spinner)).not.toBeNull();
    arrive(answer(full));
    await settle();
    expect(wrapper.find(Spinner)).toBeNull();
    for (const part of says) expect(plain(text())).toContain(part);
  });

  test('the view says so when there is nothing', async () => {
    dashboard.replies[request] = answer(empty);
    expect((await show(View)).text()).toContain(saysWhenEmpty);
  });

  test('the view says that the server cannot be reached, and tries again when asked to', async () => {
    const { text, press } = await show(View);
    expect(text()).toContain('Your Payment Retry server cannot be reached');
    dashboard.replies[request] = answer(full);
    await press('Try again');
    expect(plain(text())).toContain(says[0]);
  });

  test('the view says that the account has to allow the address first', async () => {
    const { text } = await show(View, { connectSrc: ['https://before.example/app/'] });
    expect(text()).toContain('The app may not reach your Payment Retry server');
  });

  test('the view says that there is no access', async () => {
    dashboard.replies[request] = { status: 403, body: { code: 'account_unknown', message: 'x' } };
    const { text, buttons } = await show(View);
    expect(text()).toContain(
      'You do not have access | Your Payment Retry server does not serve this account.',
    );
    expect(buttons()).not.toContain('Try again');
  });

  test('the view shows nothing of the other mode', async () => {
    dashboard.replies[request] = { status: 409, body: { code: 'other_mode', message: 'x' } };
    expect((await show(View, { mode: 'test' })).text()).toContain('works with the other mode, live or test');
  });

  test.each(['live', 'test'] as const)(
    'the view asks the server of %s mode, and marks test mode',
    async (mode) => {
      dashboard.replies[request] = answer(full);
      const { text } = await show(View, { mode });
      const [asked] = dashboard.requests;
      expect(asked?.url).toBe(`${BACKENDS[mode]}request`);
      expect(asked?.body).toMatchObject({ request, mode, user_id: 'usr_1', account_id: 'acct_1' });
      expect(text().includes('Test mode: no real money')).toBe(mode === 'test');
    },
  );

  test('the view asks nothing before the Dashboard has told who is signed in', async () => {
    const context = contextOf();
    const { wrapper, update } = render(
      <View {...context} userContext={{ ...context.userContext, id: undefined }} />,
    );
    await update();
    expect(dashboard.requests).toEqual([]);
    expect(wrapper.find(Spinner)).not.toBeNull();
  });
});

const result = (outcome: string, text: string) => answer({ outcome, text });
const asked = (request: string) => dashboard.requests.filter(({ body }) => body.request === request);

describe('an invoice', () => {
  const open = async (data: object = INVOICE, place = {}) => {
    dashboard.replies.invoice = answer(data);
    return show(InvoiceRecovery, place);
  };

  test('nothing is charged before the person has read whom and how much, and confirmed it', async () => {
    const { press, text, wrapper } = await open();
    await press('Retry now');
    expect(asked('retry')).toEqual([]);
    expect(wrapper.find(FocusView)?.prop('title')).toBe('Retry now');
    expect(text()).toContain('Charge €24.90 to Visa •••• 4123 of Wanda Nowak now; 1 of 8 attempts used.');
    await press('Cancel');
    expect(wrapper.find(FocusView)).toBeNull();
    expect(asked('retry')).toEqual([]);
    dashboard.replies.retry = result('changed', 'The invoice is charged within minutes.');
    await press('Retry now');
    await press('Charge the customer now');
    expect(asked('retry')).toMatchObject([{ parameters: { id: INVOICE.id } }]);
    expect(text()).toContain('The invoice is charged within minutes.');
    expect(asked('invoice')).toHaveLength(2);
    expect(refreshes).toBe(1);
  });

  test('each press has a nonce of its own', async () => {
    const { press } = await open();
    dashboard.replies.stop = result('unchanged', 'Nothing changed.');
    for (const _ of [1, 2]) {
      await press('Stop');
      await press('Stop collecting it');
    }
    const nonces = asked('stop').map(({ body }) => body.nonce);
    expect(new Set(nonces).size).toBe(2);
  });

  test('what stands against it is told as the server says it', async () => {
    const { press, text } = await open();
    const said = 'Nothing was done for the invoice: 24 hours between attempts; possible from Mar 3.';
    dashboard.replies.retry = result('refused', said);
    await press('Retry now');
    await press('Charge the customer now');
    expect(plain(text())).toContain(said);
    expect(refreshes).toBe(0);
  });

  test('when the server does not answer, it is not claimed that nothing was done', async () => {
    const { press, text } = await open();
    await press('Stop');
    await press('Stop collecting it');
    expect(text()).toContain('It is not known whether it was done');
  });

  test('an invoice is postponed to nine in the morning of the day that the person chooses', async () => {
    const { press, wrapper, settle, tree } = await open();
    dashboard.replies.postpone = result('changed', 'Postponed.');
    await press('Postpone');
    const confirm = listParts(tree()).findLast(({ type, props }) => type === 'Button' && 'disabled' in props);
    expect(confirm?.props.disabled).toBe(true);
    wrapper.find(DateField)?.trigger('onChange', '2026-04-01');
    await settle();
    await press('Postpone');
    const until = new Date(2026, 3, 1, 9).toISOString();
    expect(asked('postpone')).toMatchObject([{ parameters: { id: INVOICE.id, until } }]);
  });

  test('who may not operate has no buttons at an invoice, and is told why', async () => {
    const { buttons, text } = await open({ ...INVOICE, mayOperate: false });
    expect(buttons()).toEqual([]);
    expect(text()).toContain('Your role in Stripe lets you read this.');
  });

  test('what would be refused is a button that cannot be pressed, with the reason; what helps comes first', async () => {
    const { buttons, tree, text } = await open(UNDECIDED);
    expect(buttons()).toEqual(['Confirm', 'Retry now', 'Postpone', 'Send the mail again', 'Stop']);
    const shown = listParts(tree()).filter(({ type }) => type === 'Button');
    expect(shown.map(({ props }) => [props.type, props.disabled])).toEqual([
      ['primary', false],
      ['secondary', true],
      ['secondary', false],
      ['secondary', false],
      ['destructive', false],
    ]);
    expect(plain(text())).toContain('Retry now: 24 hours between attempts; possible from Mar 3');
    expect(text()).toContain('Payment to be confirmed by you');
  });

  test('an operation is asked for with its own parameters', async () => {
    const card = {
      title: 'Ask for another card',
      button: 'Send the mail',
      parameters: { template: 'card_update' },
    };
    const operation = { ...INVOICE.operations[2], ...card };
    const { press } = await open({ ...INVOICE, operations: [operation] });
    dashboard.replies.sendMailAgain = result('changed', 'The mail goes out within minutes.');
    await press('Ask for another card');
    await press('Send the mail');
    expect(asked('sendMailAgain')).toMatchObject([
      { parameters: { id: INVOICE.id, template: 'card_update' } },
    ]);
  });

  test.each(['paid', 'over'])('an invoice that is %s offers nothing', async (state) => {
    const { buttons } = await open({ ...INVOICE, state, operations: [] });
    expect(buttons()).toEqual([]);
  });

  test('what is told of one invoice, mode or account is never shown for the next', async () => {
    const { wrapper, update } = render(<Switching />);
    const replies = new Map<string, (reply: { body: object }) => void>();
    const answered = new Promise<{ body: object }>((resolve) => replies.set('in_1', resolve));
    dashboard.replies.invoice = answered;
    await update();
    dashboard.replies.invoice = answer({ id: 'in_2', isKnown: false });
    goTo('in_2');
    for (let turn = 0; turn < 5; turn += 1) await update();
    expect(wrapper.text).toContain('nothing to recover');
    replies.get('in_1')?.(answer(INVOICE));
    for (let turn = 0; turn < 5; turn += 1) await update();
    expect(wrapper.text).toContain('nothing to recover');
  });
});

test('what is done about a payment is done to its invoice, and the page around it is read again', async () => {
  dashboard.replies.payment = answer(INVOICE);
  const { press, text } = await show(PaymentRecovery, { id: 'pi_1' });
  expect(asked('payment')).toMatchObject([{ parameters: { id: 'pi_1' } }]);
  dashboard.replies.stop = result('changed', 'The invoice is stopped.');
  await press('Stop');
  await press('Stop collecting it');
  expect(asked('stop')).toMatchObject([{ parameters: { id: INVOICE.id } }]);
  expect(asked('payment')).toHaveLength(2);
  expect([text().includes('The invoice is stopped.'), refreshes]).toEqual([true, 1]);
});

describe('the work list', () => {
  const open = async (data: object = WORK_LIST) => {
    dashboard.replies.worklist = answer(data);
    return show(RecoveryPage);
  };

  test('what helps is done from its row, once it is confirmed as the invoice stands now', async () => {
    const { press, text, wrapper } = await open();
    dashboard.replies.invoice = answer(UNDECIDED);
    await press('Confirm');
    expect(asked('invoice')).toMatchObject([{ parameters: { id: INVOICE.id } }]);
    expect(wrapper.find(FocusView)?.prop('title')).toBe('Confirm');
    expect(plain(text())).toContain('Wanda Nowak, €24.90 | Make the payment of €24.90 that waits for you');
    expect(asked('release')).toEqual([]);
    dashboard.replies.release = result('changed', 'The invoice is released.');
    dashboard.replies.worklist = answer({ ...WORK_LIST, causes: WORK_LIST.causes.slice(1) });
    await press('Make the payment');
    expect(asked('release')).toMatchObject([{ parameters: { id: INVOICE.id } }]);
    expect(text()).toContain('The invoice is released.');
    expect(text()).not.toContain('Wanda Nowak');
    expect(refreshes).toBe(1);
  });

  test.each([
    ['is not needed any more', { ...UNDECIDED, operations: [] }, 'does not need this any more'],
    [
      'would be refused',
      {
        ...UNDECIDED,
        operations: [{ ...UNDECIDED.operations[0], will: null, refusal: 'The invoice is disputed.' }],
      },
      'The invoice is disputed.',
    ],
  ])('what %s is told instead of asked for', async (_, invoice, words) => {
    const { press, text, wrapper } = await open();
    dashboard.replies.invoice = answer(invoice);
    await press('Confirm');
    expect(wrapper.find(FocusView)).toBeNull();
    expect(text()).toContain(words);
    expect(asked('worklist')).toHaveLength(2);
  });

  test('what is done in Stripe is a link to the customer or the invoice there', async () => {
    const { tree } = await open();
    const links = listParts(tree()).filter(({ type }) => type === 'Link');
    const address = links.find((link) => readText(link) === 'Add an address in Stripe');
    expect(address?.props.href).toEqual({
      name: 'customerDetails',
      params: { customerId: 'cus_TmL7Lefevre4' },
    });
  });

  test('a pause stands above the list', async () => {
    const { text } = await open({ ...WORK_LIST, pausedSince: '2026-03-02T10:00:00Z' });
    expect(text()).toMatch(/Recovery is paused.*Work list/s);
  });

  test('who may not operate has no buttons in the list', async () => {
    expect((await open({ ...WORK_LIST, mayOperate: false })).buttons()).toEqual([]);
  });
});

let goTo: (id: string) => void;
/** The Dashboard keeps the view and gives it another object. */
function Switching() {
  const [id, setId] = useState('in_1');
  goTo = setId;
  return <InvoiceRecovery {...contextOf({ id })} />;
}

describe('the settings', () => {
  test('disconnecting is asked back, done once, and can be taken back', async () => {
    dashboard.replies.settings = answer(SETTINGS);
    dashboard.replies.disconnect = answer({ outcome: 'changed', text: 'Disconnected.' });
    const { press, wrapper, buttons } = await show(AppSettings);
    await press('Disconnect');
    expect(dashboard.requests.map(({ body }) => body.request)).toEqual(['settings']);
    const pause = { since: '2026-03-02T10:00:00Z', why: 'x', isForAll: false };
    dashboard.replies.settings = answer({ ...SETTINGS, pause });
    await press('Disconnect now');
    expect(wrapper.find(SettingsView)?.prop('statusMessage')).toContain('Disconnected.');
    expect(buttons()).toContain('Connect again');
    expect(refreshes).toBe(1);
  });

  test.each([
    ['nobody but an administrator can disconnect', { mayConfigure: false }, 'Only administrators'],
    [
      'a pause of the whole server is ended on the server',
      { pause: { since: '2026-03-02T10:00:00Z', why: 'new release', isForAll: true } },
      'new release',
    ],
  ])('%s', async (_, more, words) => {
    dashboard.replies.settings = answer({ ...SETTINGS, ...more });
    const { text, buttons } = await show(AppSettings);
    expect(text()).toContain(words);
    expect(buttons()).toEqual([]);
  });
});

describe('what an account sets for itself', () => {
  const open = async (own: object) => {
    dashboard.replies.settings = answer({ ...CONNECTED, own: { ...CONNECTED.own, ...own } });
    return show(AppSettings);
  };
  const saved = () =>
    dashboard.requests.flatMap(({ body, parameters }) =>
      body.request === 'saveSettings' ? [parameters] : [],
    );

  test('a field that is left empty is not sent, and what was typed is gone once it is saved', async () => {
    dashboard.replies.saveSettings = answer({ outcome: 'changed', text: 'Saved.' });
    const { type, press, tree, wrapper, settle } = await open({});
    await type('Callback token', 'a-token-0123456789-0123456789');
    dashboard.replies.settings = answer({
      ...CONNECTED,
      own: { ...CONNECTED.own, savedAt: '2026-03-02T11:00:00.000Z' },
    });
    await press('Save');
    await settle();
    expect(saved()).toMatchObject([
      {
        businessEntity: 'Nordlicht Kaffee GmbH',
        credentials: { recoveryCallbackToken: 'a-token-0123456789-0123456789' },
      },
    ]);
    expect(saved()[0]?.credentials).not.toHaveProperty('retryServiceApiKey');
    expect(signed.length).toBeGreaterThan(1);
    expect(JSON.stringify(signed)).not.toContain('a-token');
    expect(wrapper.find(SettingsView)?.prop('statusMessage')).toContain('Saved.');
    const fields = listParts(tree()).filter(({ type }) => type === 'TextField');
    expect(fields.map(({ props }) => props.value)).toEqual(['Nordlicht Kaffee GmbH', '', '']);
  });

  test('the key and the token are taken away only after asking back', async () => {
    dashboard.replies.saveSettings = answer({ outcome: 'changed', text: 'Saved.' });
    const { press, text } = await open({});
    expect(plain(text())).toContain(
      'Callback address | https://billing.example.com/accounts/acct_1QbW3fKe8nVb2Hrd/recovery_action',
    );
    expect(text()).toContain('Service key and callback token: set, saved Mar 2, 2026');
    await press('Remove key and token');
    expect(saved()).toEqual([]);
    await press("Use the server's instead");
    expect(saved()).toMatchObject([{ credentials: null }]);
  });

  test.each([
    ['none of its own', { credentials: 'none' }, 'those of the server are used'],
    ['some that cannot be read', { credentials: 'unreadable' }, 'Enter both again'],
  ])('an account that has %s is told so', async (_, own, words) => {
    expect((await open(own)).text()).toContain(words);
  });

  test('a server that takes no credentials has no fields for them', async () => {
    const { tree } = await open({ credentials: 'none', takesCredentials: false });
    const labels = listParts(tree()).flatMap(({ type, props }) =>
      type === 'TextField' ? [props.label] : [],
    );
    expect(labels).toEqual(['Business name in mails']);
  });

  test('who may not configure has no fields for the settings of an account', async () => {
    dashboard.replies.settings = answer({ ...CONNECTED, mayConfigure: false });
    const { tree } = await show(AppSettings);
    expect(listParts(tree()).filter(({ type }) => type === 'TextField')).toEqual([]);
  });
});

test('Stripe signs a digest of the parameters, which are sent beside it, whatever is asked', async () => {
  dashboard.replies.settings = answer(SETTINGS);
  dashboard.replies.disconnect = answer({ outcome: 'changed', text: 'Disconnected.' });
  const { press, settle } = await show(AppSettings);
  await press('Disconnect');
  await press('Disconnect now');
  await settle();
  expect(dashboard.requests.map(({ body }) => body.request)).toEqual(
    expect.arrayContaining(['settings', 'disconnect']),
  );
  expect(signed).toHaveLength(dashboard.requests.length);
  for (const [index, { body, parameters }] of dashboard.requests.entries()) {
    const payload = { ...signed[index], user_id: 'usr_1', account_id: 'acct_1' };
    expect(JSON.stringify(body)).toBe(JSON.stringify(payload));
    expect(Object.keys(payload)).toEqual([
      ...['request', 'mode', 'parameters_sha256', 'nonce', 'stripe_roles', 'user_id', 'account_id'],
    ]);
    const digest = createHash('sha256').update(JSON.stringify(parameters)).digest('hex');
    expect(payload).toMatchObject({ parameters_sha256: digest });
  }
});

test('the onboarding is complete once no problem is left, whatever is optional', async () => {
  dashboard.replies.onboarding = answer(ONBOARDING);
  const { wrapper, press, text } = await show(Onboarding);
  expect(wrapper.find(OnboardingView)?.prop('completed')).toBe(false);
  expect(
    wrapper
      .find(OnboardingView)
      ?.prop('tasks')
      .map(({ status }) => status),
  ).toEqual(['complete', 'blocked']);
  expect(plain(text())).toMatch(/To fix.*Optional/s);
  dashboard.replies.onboarding = answer({
    checks: ONBOARDING.checks.filter(({ state }) => state !== 'problem'),
  });
  await press('Check again');
  expect(wrapper.find(OnboardingView)?.prop('completed')).toBe(true);
  expect(text()).not.toContain('To fix');
});

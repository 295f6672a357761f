/** @jsxRuntime automatic @jsxImportSource react */
/** Every view in every state, as the Dashboard's own test renderer shows it. */
import { createHash } from 'node:crypto';
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { render } from '@stripe/ui-extension-sdk/testing';
import {
  DetailPagePropertyList,
  FocusView,
  OnboardingView,
  SettingsView,
  Spinner,
} from '@stripe/ui-extension-sdk/ui';
import { type ComponentType, useState } from 'react';
import AppSettings from '../../../manifest/private/src/views/AppSettings.tsx';
import CustomerModule from '../../../manifest/private/src/views/CustomerModule.tsx';
import InvoiceModule from '../../../manifest/private/src/views/InvoiceModule.tsx';
import Onboarding from '../../../manifest/private/src/views/Onboarding.tsx';
import WorkDrawer from '../../../manifest/private/src/views/WorkDrawer.tsx';
import KeySettings from '../../../manifest/restricted-key/src/views/KeySettings.tsx';
import {
  answer,
  answerRequests,
  BACKENDS,
  contextOf,
  type Dashboard,
  listParts,
  plain,
  readModule,
  readText,
  show,
  showDashboard,
} from './dashboard.tsx';
import { CONNECTED, CUSTOMER, INVOICE, ONBOARDING, SETTINGS, UNDECIDED, WORK } from './examples.ts';

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

/** A module has a state of its own for it. */
function isLoading(wrapper: ReturnType<typeof render>['wrapper']): boolean {
  return wrapper.find(Spinner) !== null || wrapper.find(DetailPagePropertyList)?.prop('pending') === true;
}

const VIEWS: Example[] = [
  {
    name: 'invoice',
    View: InvoiceModule,
    request: 'invoice',
    full: INVOICE,
    empty: { id: 'in_1', isKnown: false },
    says: [
      '€24.90 · Retry tomorrow',
      'Wanda Nowak',
      'Next | Payment at Mar 3, 2026, 2:00 PM',
      'Latest | The service asked',
    ],
    saysWhenEmpty: 'nothing to recover',
  },
  {
    name: 'customer',
    View: CustomerModule,
    request: 'customer',
    full: CUSTOMER,
    empty: { ...CUSTOMER, isKnown: false },
    says: [
      'In recovery since Feb 2, 2026',
      'Access | Allowed while the recovery runs, until Mar 12, 2026',
      '€24.90 · Tea box | Payment on Mar 3, 2026',
      '¥9,900 | No action scheduled; 3 attempts since Feb 2',
      'Visa •••• 4123 · may work later | Insufficient funds · 1 attempt in 30 days',
      'Please update your card | Sent, Mar 2',
      'Open €24.90 invoice',
    ],
    saysWhenEmpty: 'No payment of this customer has failed.',
  },
  {
    name: 'work drawer',
    View: WorkDrawer,
    request: 'work',
    full: WORK,
    empty: { ...WORK, months: [], unpaid: [], causes: [] },
    says: [
      'Payment to be confirmed by you · 1 invoice, €24.90',
      'Wanda Nowak',
      'Asked without an answer · 3 invoices, €124.00 + £29.00',
      '… and 2 more',
      'First failed in March 2026 | Failed | €1,843.10 · 31 invoices | Recovered (33%) | €612.00 · 12 invoices',
      'Recovered (80%) | €5,200.00 · 118 invoices',
      'EUR | €1,531.10 · 27 invoices',
      'Months use Europe/Berlin.',
    ],
    saysWhenEmpty: 'No failed payments yet.',
  },
  {
    name: 'settings',
    View: AppSettings,
    request: 'settings',
    full: SETTINGS,
    empty: { ...SETTINGS, hasEmail: false },
    says: [
      'billing.example.com',
      'On the server',
      "Advisory: next to Stripe's own retries",
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
    expect(isLoading(wrapper)).toBe(true);
    arrive(answer(full));
    await settle();
    expect(isLoading(wrapper)).toBe(false);
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
    expect(text()).toMatch(
      /You do not have access(\.| \|) Your Payment Retry server does not serve this account\./,
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
    expect(isLoading(wrapper)).toBe(true);
  });
});

const result = (outcome: string, text: string) => answer({ outcome, text });
const asked = (request: string) => dashboard.requests.filter(({ body }) => body.request === request);

describe('an invoice', () => {
  const open = async (data: object = INVOICE, place = {}) => {
    dashboard.replies.invoice = answer(data);
    return show(InvoiceModule, place);
  };

  test('nothing is charged before the person has read whom and how much, and confirmed it', async () => {
    const { press, text, buttons } = await open();
    await press('Retry now');
    expect(asked('retry')).toEqual([]);
    expect(buttons()).toEqual(['Charge the customer now', 'Cancel']);
    expect(text()).toContain('Charge €24.90 to Visa •••• 4123 of Wanda Nowak now; 1 of 8 attempts used.');
    await press('Cancel');
    expect(buttons()).toContain('Retry now');
    expect(asked('retry')).toEqual([]);
    dashboard.replies.retry = result('changed', 'The invoice is charged within minutes.');
    await press('Retry now');
    await press('Charge the customer now');
    expect(asked('retry')).toMatchObject([{ parameters: { id: INVOICE.id } }]);
    expect(text()).toContain('Done | The invoice is charged within minutes.');
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
    const { press, buttons } = await open();
    dashboard.replies.postpone = result('changed', 'Postponed.');
    await press('Postpone');
    expect(buttons()).toEqual([
      ...['Postpone for 1 day', 'Postpone for 3 days', 'Postpone for 7 days', 'Cancel'],
    ]);
    await press('Postpone for 3 days');
    const now = new Date();
    const until = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 3, 9).toISOString();
    expect(asked('postpone')).toMatchObject([{ parameters: { id: INVOICE.id, until } }]);
  });

  test('who may not operate has no buttons at an invoice, and is told why', async () => {
    const { buttons, text } = await open({ ...INVOICE, mayOperate: false, operations: [] });
    expect(buttons()).toEqual([]);
    expect(text()).toContain('Your role | It lets you read this, not change it');
  });

  test('what would be refused has no button, but its reason; what helps comes first', async () => {
    const { buttons, text } = await open(UNDECIDED);
    expect(buttons()).toEqual(['Confirm', 'Postpone', 'Send the email again', 'Stop']);
    expect(plain(text())).toContain(
      'Not possible now | Retry now | 24 hours between attempts; possible from Mar 3',
    );
    expect(text()).toContain('Payment to be confirmed by you');
  });

  test('an operation is asked for with its own parameters', async () => {
    const card = {
      title: 'Ask for another card',
      button: 'Send the email',
      parameters: { template: 'card_update' },
    };
    const operation = { ...INVOICE.operations[2], ...card };
    const { press } = await open({ ...INVOICE, operations: [operation] });
    dashboard.replies.sendEmailAgain = result('changed', 'The email goes out within minutes.');
    await press('Ask for another card');
    await press('Send the email');
    expect(asked('sendEmailAgain')).toMatchObject([
      { parameters: { id: INVOICE.id, template: 'card_update' } },
    ]);
  });

  test('a question about one invoice is not asked about the next', async () => {
    dashboard.replies.invoice = answer({ ...INVOICE, id: 'in_1' });
    const { wrapper, update } = render(<Switching />);
    const settle = async () => {
      for (let turn = 0; turn < 5; turn += 1) await update();
    };
    const module = () =>
      readModule({
        type: 'DetailPagePropertyList',
        text: '',
        parts: [],
        props: wrapper.find(DetailPagePropertyList)?.props ?? {},
      });
    await settle();
    module()
      ?.extraActions.find(({ label }) => label === 'Stop')
      ?.onPress?.();
    await settle();
    expect(module()?.extraActions.map(({ label }) => label)).toContain('Stop collecting it');
    dashboard.replies.invoice = answer({ ...INVOICE, id: 'in_2' });
    goTo('in_2');
    await settle();
    expect(module()?.extraActions.map(({ label }) => label)).not.toContain('Stop collecting it');
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
    expect(wrapper.find(DetailPagePropertyList)?.prop('emptyMessage')).toContain('nothing to recover');
    replies.get('in_1')?.(answer(INVOICE));
    for (let turn = 0; turn < 5; turn += 1) await update();
    expect(wrapper.find(DetailPagePropertyList)?.prop('items')).toEqual([]);
  });
});

describe('the work list', () => {
  const open = async (data: object = WORK) => {
    dashboard.replies.work = answer(data);
    return show(WorkDrawer);
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
    dashboard.replies.work = answer({ ...WORK, causes: WORK.causes.slice(1) });
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
    expect(asked('work')).toHaveLength(2);
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
    const { text } = await open({ ...WORK, pausedSince: '2026-03-02T10:00:00Z' });
    expect(text()).toMatch(/Recovery is paused.*Payment to be confirmed/s);
  });

  test('who may not operate has no buttons in the list', async () => {
    expect((await open({ ...WORK, mayOperate: false })).buttons()).toEqual([]);
  });
});

let goTo: (id: string) => void;
/** The Dashboard keeps the view and gives it another object. */
function Switching() {
  const [id, setId] = useState('in_1');
  goTo = setId;
  return <InvoiceModule {...contextOf({ id })} />;
}

describe('the settings', () => {
  test('disconnecting is asked back, done once, and can be taken back', async () => {
    dashboard.replies.settings = answer(SETTINGS);
    dashboard.replies.disconnect = answer({ outcome: 'changed', text: 'Disconnected.' });
    const { press, wrapper, buttons } = await show(AppSettings);
    await press('Disconnect');
    expect(dashboard.requests.map(({ body }) => body.request)).toEqual(['settings']);
    const pause = { since: '2026-03-02T10:00:00Z', reason: 'x', isForAll: false };
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
      { pause: { since: '2026-03-02T10:00:00Z', reason: 'new release', isForAll: true } },
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
    await press('Use the server’s instead');
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
    expect(labels).toEqual(['Business name in emails']);
  });

  test('who may not configure has no fields for the settings of an account', async () => {
    dashboard.replies.settings = answer({ ...CONNECTED, mayConfigure: false });
    const { tree } = await show(AppSettings);
    expect(listParts(tree()).filter(({ type }) => type === 'TextField')).toEqual([]);
  });
});

test('Stripe signs a digest of the parameters, which are sent next to it, in every request', async () => {
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

test.each([
  ['live', 'Key for live payments'],
  ['test', 'Test key: no real money'],
] as const)(
  'the settings of the key say in %s mode what kind it is, and how it gets to the server',
  async (mode, kind) => {
    const { text } = await show(KeySettings, { mode });
    expect(text()).toContain(kind);
    expect(text()).toMatch(/View API keys.*payment-retry init.*payment-retry doctor/s);
    expect(dashboard.requests).toEqual([]);
  },
);

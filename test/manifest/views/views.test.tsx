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
  show,
  showDashboard,
} from './dashboard.tsx';
import { CONNECTED, CUSTOMER, INVOICE, ONBOARDING, OVERVIEW, SETTINGS } from './examples.ts';

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
    says: ['€12.50', 'Planned', 'Payment', 'Timeline', 'The service asked'],
    saysWhenEmpty: 'nothing to recover',
  },
  {
    name: 'subscription',
    View: SubscriptionRecovery,
    request: 'subscription',
    full: CUSTOMER,
    empty: { cases: [] },
    says: ['€12.50', 'Payment', '¥9,900', 'nothing is planned'],
    saysWhenEmpty: 'No failed payments are known.',
  },
  {
    name: 'customer',
    View: CustomerRecovery,
    request: 'customer',
    full: CUSTOMER,
    empty: { cases: [], mails: [], cards: [], cardDays: 30 },
    says: [
      '€12.50',
      'Visa •••• 4242',
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
      'At risk now | €32.50 · 2 invoices',
      'Came back in 30 days | €7.00 · 1 invoice',
      'Due within 7 days',
      'Payment to be confirmed by you',
      '€20.00',
      'Ada Example',
    ],
    saysWhenEmpty: 'nothing is at risk',
  },
  {
    name: 'full page',
    View: RecoveryPage,
    request: 'worklist',
    full: OVERVIEW,
    empty: { ...OVERVIEW, money: [], attention: [] },
    says: ['At risk now | €32.50 · 2 invoices', 'Work list', 'Payment to be confirmed by you', 'Ada Example'],
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
    says: ['Events arrive from Stripe', 'None has come yet', '`connect` makes or mends it.', 'Check again'],
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

describe('an invoice', () => {
  const open = async (data: object = INVOICE, place = {}) => {
    dashboard.replies.invoice = answer(data);
    return show(InvoiceRecovery, place);
  };
  const result = (outcome: string, text: string) => answer({ outcome, text });
  const asked = (request: string) => dashboard.requests.filter(({ body }) => body.request === request);

  test('nothing is charged before the person has confirmed the amount', async () => {
    const { press, text, buttons, wrapper } = await open();
    await press('Retry now');
    expect(asked('retry')).toEqual([]);
    expect(wrapper.find(FocusView)?.prop('title')).toBe('Charge the customer now?');
    expect(buttons().map(plain)).toContain('Charge €12.50');
    await press('Cancel');
    expect(wrapper.find(FocusView)).toBeNull();
    expect(asked('retry')).toEqual([]);
    dashboard.replies.retry = result('changed', 'The invoice is charged within minutes.');
    await press('Retry now');
    await press('Charge €12.50');
    expect(asked('retry')).toMatchObject([{ parameters: { id: 'in_1' } }]);
    expect(text()).toContain('The invoice is charged within minutes.');
    expect(asked('invoice')).toHaveLength(2);
    expect(refreshes).toBe(1);
  });

  test('each press has a nonce of its own', async () => {
    const { press } = await open();
    dashboard.replies.stop = result('unchanged', 'Nothing changed.');
    for (const _ of [1, 2]) {
      await press('Stop');
      await press('Stop recovery');
    }
    const nonces = asked('stop').map(({ body }) => body.nonce);
    expect(new Set(nonces).size).toBe(2);
  });

  test('what stands against it is told as the server says it', async () => {
    const { press, text } = await open();
    const said = 'Nothing was done for the invoice: 24 hours between attempts; possible from Mar 3.';
    dashboard.replies.retry = result('refused', said);
    await press('Retry now');
    await press('Charge €12.50');
    expect(plain(text())).toContain(said);
    expect(refreshes).toBe(0);
  });

  test('when the server does not answer, it is not claimed that nothing was done', async () => {
    const { press, text } = await open();
    await press('Stop');
    await press('Stop recovery');
    expect(text()).toContain('It is not known whether it was done');
  });

  test('an invoice is postponed to nine in the morning of the day that the person chooses', async () => {
    const { press, wrapper, settle, tree } = await open();
    dashboard.replies.postpone = result('changed', 'Postponed.');
    await press('Postpone');
    const confirm = listParts(tree()).find(({ type, props }) => type === 'Button' && 'disabled' in props);
    expect(confirm?.props.disabled).toBe(true);
    wrapper.find(DateField)?.trigger('onChange', '2026-04-01');
    await settle();
    await press('Postpone');
    const until = new Date(2026, 3, 1, 9).toISOString();
    expect(asked('postpone')).toMatchObject([{ parameters: { id: 'in_1', until } }]);
  });

  test('who may not operate has no buttons at an invoice, and is told why', async () => {
    const { buttons, text } = await open({ ...INVOICE, mayOperate: false });
    expect(buttons()).toEqual([]);
    expect(text()).toContain('Your role in Stripe lets you read this.');
  });

  test.each([
    ['paid', []],
    ['over', []],
    ['planned', ['Retry now', 'Postpone', 'Send mail again', 'Stop']],
    ['stopped', ['Release', 'Postpone', 'Send mail again']],
    ['needs_decision', ['Release', 'Postpone', 'Send mail again', 'Stop']],
  ])('an invoice that is %s offers %j', async (state, offered) => {
    expect((await open({ ...INVOICE, state })).buttons()).toEqual(offered);
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
      { businessEntity: null, credentials: { recoveryCallbackToken: 'a-token-0123456789-0123456789' } },
    ]);
    expect(saved()[0]?.credentials).not.toHaveProperty('retryServiceApiKey');
    expect(signed.length).toBeGreaterThan(1);
    expect(JSON.stringify(signed)).not.toContain('a-token');
    expect(wrapper.find(SettingsView)?.prop('statusMessage')).toContain('Saved.');
    const fields = listParts(tree()).filter(({ type }) => type === 'TextField');
    expect(fields.map(({ props }) => props.value)).toEqual(['', '', '']);
  });

  test('the key and the token are taken away only after asking back', async () => {
    dashboard.replies.saveSettings = answer({ outcome: 'changed', text: 'Saved.' });
    const { press, text } = await open({});
    expect(plain(text())).toContain(
      'Callback address | https://billing.example.com/accounts/acct_1/recovery_action',
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

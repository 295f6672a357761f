/** What customers get, and when not: on a real database, with a mail server whose answers the test decides. */
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { reportInvoice, reportStatus } from '../../../../src/plugin/app/commands/status-command.ts';
import { finishAttempt, insertAttempt } from '../../../../src/plugin/store/tables/retry/attempts.ts';
import { closeScheduledActions } from '../../../../src/plugin/store/tables/retry/planned-actions.ts';
import { upsertInvoice } from '../../../support/database/mirror-rows.ts';
import { runs } from '../../../support/runner/full-run.ts';
import { ACCOUNT, type Bench, INVOICE, openBench, START } from '../payment/collection-fixture.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
beforeEach(() => bench.reset());
afterAll(() => bench.close());

const CARD = { kind: 'card_update_email' as const };
const CONFIRM = { kind: 'confirm_payment_email' as const };
const refused = { kind: 'refused' as const, reason: 'EENVELOPE: 550 5.1.1 no such user' };
const later = { kind: 'failed' as const, reason: '451 4.7.1 greylisted, try later' };

async function send(kind: typeof CARD | typeof CONFIRM = CARD): Promise<string> {
  const id = await bench.add(kind);
  await bench.run(id);
  return id;
}

const stories = () =>
  bench.database
    .query<{ kind: string }>('select kind from payment_retry.audit order by id')
    .then((rows) => rows.map(({ kind }) => kind));

/** As Stripe's events told of it. */
async function recordInvoice(status: 'open' | 'paid' = 'open'): Promise<void> {
  await upsertInvoice(bench.database, {
    account: ACCOUNT,
    id: INVOICE,
    customerId: 'cus_1Ada',
    subscriptionId: undefined,
    status,
    amountRemaining: status === 'open' ? 2000 : 0,
    currency: 'usd',
    attemptCount: 1,
    isFirst: false,
    nextAttemptAt: undefined,
    message: undefined,
    version: START,
    versionSource: 'event',
  });
}

async function decline(code: string, declineCode: string): Promise<void> {
  const id = '00000000-0000-4000-8000-0000000000aa';
  const startedAt = bench.deps.clock.now();
  await insertAttempt(bench.database, {
    id,
    account: ACCOUNT,
    invoiceId: INVOICE,
    customerId: 'cus_1Ada',
    subscriptionId: undefined,
    actionId: id,
    attemptNumber: 1,
    idempotencyKey: 'key',
    amount: 2000,
    currency: 'usd',
    startedAt,
    paymentMethod: 'pm_1',
    methodType: 'card',
    brand: 'visa',
    fingerprint: 'fp_1',
    cardExpiry: '2030-12',
  });
  await finishAttempt(bench.database, id, { outcome: 'declined', code, declineCode }, startedAt);
}

describe('an email', () => {
  test.each([
    [['de-AT', 'en'], 'en', 'Bitte aktualisieren Sie Ihre Karte', 'de-AT'],
    [['zh', 'ja'], 'en', 'カード情報更新のお願い', 'ja'],
    [[], 'fr', 'Mettez à jour votre carte', 'fr'],
    [['zh'], 'en', 'Update your card', 'en'],
  ])(
    'an email to a customer who prefers %j of a merchant of %s says %s',
    async (locales, language, subject, lang) => {
      bench.stripe.customer = { ...bench.stripe.customer, preferred_locales: locales };
      bench.setLook({ language });
      await send();
      expect(bench.emails).toMatchObject([
        { subject: expect.stringContaining(subject), html: expect.stringContaining(`<html lang="${lang}"`) },
      ]);
    },
  );

  test('a customer email wears the account’s colour, and the logo of the settings', async () => {
    bench.setLook({ logoUrl: 'https://cdn.example/logo.png' });
    await send(CONFIRM);
    const [own] = bench.emails.map(({ html }) => html);
    expect(own).toContain('background:#0a7a5c;color:#ffffff');
    expect(own).toContain('src="https://cdn.example/logo.png"');
    expect(own).toContain('Example Ltd');
  });

  test('what a customer email said is kept word for word, but the token of its link', async () => {
    await send();
    const [email] = bench.emails;
    const [kept] = await bench.database.query<{ subject: string; bodyText: string; bodyHtml: string }>(
      'select subject, body_text, body_html from payment_retry.emails',
    );
    const token = /card-update\/([\w.-]+)/.exec(email?.text ?? '')?.[1] ?? 'none';
    expect(kept).toEqual({
      subject: email?.subject,
      bodyText: email?.text.replaceAll(token, '*'),
      bodyHtml: email?.html.replaceAll(token, '*'),
    });
    expect(kept?.bodyText).toContain('https://merchant.example/card-update/*');
  });

  test('a customer email has the Message-ID of its step on every try', async () => {
    bench.emailAnswers.push(later);
    const id = await send();
    await bench.wait({ minutes: 15 });
    await bench.runDue();
    expect(bench.emails.map(({ messageId }) => messageId)).toEqual([`<${id}@merchant.example>`]);
  });

  test('a customer email goes out once for an invoice and a step, and not again within three days', async () => {
    await send();
    const second = await send();
    expect(bench.emails).toHaveLength(1);
    expect(await bench.action(second)).toMatchObject({
      state: 'closed',
      reason: { code: 'recent_email', template: 'card_update', days: 3 },
    });
    await bench.wait({ days: 3, minutes: 1 });
    await send();
    expect(bench.emails).toHaveLength(2);
  });

  test('a customer email does not go out once the invoice is paid, not even on a later try', async () => {
    bench.emailAnswers.push(later);
    const id = await send();
    bench.stripe.invoice = { status: 'paid', amount_remaining: 0 };
    await bench.wait({ minutes: 15 });
    await bench.runDue();
    expect([bench.emails, await bench.action(id)]).toMatchObject([
      [],
      { state: 'closed', reason: { code: 'invoice_status', status: 'paid' } },
    ]);
    expect(await stories()).not.toContain('email.undeliverable');
  });
});

test('no email goes out when the payment is reported between the reading of the invoice and the sending', async () => {
  bench.stripe.onRead = async () => {
    const target = { account: ACCOUNT, invoiceIds: [INVOICE] };
    const reason = { code: 'invoice_ended', status: 'paid' } as const;
    await closeScheduledActions(bench.database, target, reason, bench.deps.clock.now());
  };
  const id = await send();
  await bench.wait({ minutes: 1 });
  await bench.runDue();
  expect(bench.emails).toEqual([]);
  expect(await bench.action(id)).toMatchObject({
    state: 'closed',
    reason: { code: 'invoice_ended', status: 'paid' },
  });
});

test('observe mode emails and pays nobody, and status shows what it would have done', async () => {
  await recordInvoice();
  bench.setMode('observe');
  await send();
  await bench.run(await bench.add());
  expect([bench.emails, bench.keys()]).toEqual([[], []]);
  const { code, text } = await reportStatus(bench.database, {}, bench.deps.clock.now());
  expect(code).toBe(0);
  const at = '2026-11-20 10:00:00 UTC to 2026-11-20 10:00:00 UTC';
  expect(text).toContain(`  payments attempted: 1, for 1 invoice(s), ${at}`);
  expect(text).toContain(`  emails sent: 1, for 1 invoice(s), ${at}`);
  const history = (await reportInvoice(bench.database, INVOICE, {})).text;
  expect(history.match(/Observed only: /g)).toHaveLength(2);
  expect(history).toContain('Observed only: an email would have gone out now');
});

describe('a reason that must not be told (stripe-facts 5.4)', () => {
  let usual: string;
  beforeAll(async () => {
    await bench.reset();
    await send();
    usual = withoutLink(bench.emails[0]?.text);
  });
  test.each(['merchant_blacklist', 'highest_risk_level', 'rule', 'recipient_deceased', 'blocked'])(
    '%s must not be told to the customer: no email goes out at all',
    async (code) => {
      await decline('card_declined', code);
      const id = await send();
      expect(bench.emails).toEqual([]);
      expect(await bench.action(id)).toMatchObject({
        reason: { code: 'merchant_matter', because: code },
      });
      expect(await stories()).toContain('email.withheld');
    },
  );

  test.each(['lost_card', 'stolen_card', 'pickup_card', 'expired_card', 'fraudulent'])(
    '%s must not be told to the customer: the email is word for word that of any other card',
    async (code) => {
      await decline('card_declined', code);
      await send();
      const texts = bench.emails.map(({ text }) => text);
      expect(texts.join()).not.toMatch(/lost|stolen|pick|expired|fraud/i);
      expect(texts.map(withoutLink)).toEqual([usual]);
    },
  );
});

const withoutLink = (text = '') => text.replace(/https:\S+/g, 'LINK');

describe('a mail server', () => {
  test('a mail server that says "later" is asked again until it takes the email', async () => {
    bench.emailAnswers.push(later, later);
    const id = await send();
    expect(bench.emails).toEqual([]);
    const early = await reportStatus(bench.database, {}, bench.deps.clock.now());
    expect(early).toMatchObject({
      code: 0,
      text: expect.stringContaining(`${INVOICE} since 2026-11-20 10:00`),
    });
    const late = await reportStatus(bench.database, {}, bench.deps.clock.now().plus({ minutes: 61 }));
    expect(late.code).toBe(1);
    for (let quarter = 0; quarter < 2; quarter += 1) {
      await bench.wait({ minutes: 15 });
      await bench.runDue();
    }
    expect(bench.emails).toHaveLength(1);
    expect(await bench.action(id)).toMatchObject({
      state: 'done',
      reason: { code: 'email_sent', template: 'card_update' },
    });
    expect(await stories()).toEqual(['email.delayed', 'email.delayed', 'email.sent']);
    const after = await reportStatus(bench.database, {}, bench.deps.clock.now());
    expect(after).toMatchObject({ code: 0, text: expect.not.stringContaining('wait for the mail server') });
  });

  test('a mail server that refuses is not asked again, a person is notified, and the next instruction sends anew', async () => {
    await recordInvoice();
    bench.emailAnswers.push(refused);
    const id = await send();
    await bench.wait({ days: 1 });
    await bench.runDue();
    expect(bench.emails).toEqual([]);
    expect(await bench.action(id)).toMatchObject({
      state: 'closed',
      reason: { code: 'email_not_taken', answer: refused.reason },
    });
    const told = await reportStatus(bench.database, {}, bench.deps.clock.now());
    expect(told.code).toBe(1);
    expect(told.text).toContain(
      `  email asking for another card for ${INVOICE} at 2026-11-20 10:00:00 UTC: ${refused.reason}`,
    );
    const history = await reportInvoice(bench.database, INVOICE, {});
    expect(history.text).toMatch(/Email refused by the mail server: .*\)/);

    await send();
    expect(bench.emails).toHaveLength(1);
    expect((await reportStatus(bench.database, {}, bench.deps.clock.now())).text).not.toContain(
      'could not go out',
    );
  });

  test('a mail server that says "later" for three days is given up, and a person is notified', async () => {
    await recordInvoice();
    bench.emailAnswers.push(later, later);
    const id = await send();
    await bench.wait({ days: 3, minutes: 1 });
    await bench.runDue();
    expect(await bench.action(id)).toMatchObject({
      state: 'closed',
      reason: { code: 'email_not_taken', answer: later.reason },
    });
    expect((await reportInvoice(bench.database, INVOICE, {})).text).toContain(
      `Email given up after days of trying: Please update your card. To ada@example.com (${later.reason})`,
    );
    expect((await reportStatus(bench.database, {}, bench.deps.clock.now())).code).toBe(1);
  });

  test('an email that the server refused is no matter for a person any more once the invoice is paid', async () => {
    bench.emailAnswers.push(refused);
    await send();
    await recordInvoice('paid');
    expect((await reportStatus(bench.database, {}, bench.deps.clock.now())).code).toBe(0);
  });
});

describe('quiet hours', () => {
  const WINDOW = { fromMinute: 8 * 60, toMinute: 20 * 60 };

  test.each([
    ['DE', 'spring', '2027-03-27T21:00:00Z', '2027-03-28T06:00:00Z'],
    ['DE', 'autumn', '2027-10-30T19:00:00Z', '2027-10-31T07:00:00Z'],
    ['JP', 'no change', '2027-03-28T12:00:00Z', '2027-03-28T23:00:00Z'],
  ])('quiet hours hold back an email (%s, %s): due %s, sent %s', async (country, _, due, expected) => {
    bench.setWindow(WINDOW);
    const { customer } = bench.stripe;
    const address = { city: null, line1: null, line2: null, postal_code: null, state: null };
    bench.stripe.customer = { ...customer, address: { ...address, country } };
    const at = DateTime.fromISO(due, { zone: 'utc' });
    await bench.wait({ milliseconds: at.diff(START).toMillis() });
    const id = await send();
    expect(bench.emails).toEqual([]);
    const opening = DateTime.fromISO(expected, { zone: 'utc' });
    expect((await bench.action(id))?.dueAt.toISO()).toBe(opening.toISO());
    await bench.wait({ milliseconds: opening.diff(at).toMillis() - 1 });
    await bench.runDue();
    expect(bench.emails).toEqual([]);
    await bench.wait({ milliseconds: 1 });
    await bench.runDue();
    expect(bench.emails).toHaveLength(1);
  });

  test('quiet hours hold on every day around both changes of clocks', async () => {
    bench.setWindow(WINDOW);
    const hours = fc.integer({ min: 0, max: 72 });
    const days = fc.constantFrom('2027-03-26T23:00:00Z', '2027-10-29T22:00:00Z');
    await fc.assert(
      fc.asyncProperty(days, hours, async (day, offset) => {
        await bench.reset();
        bench.setWindow(WINDOW);
        const address = { city: null, line1: null, line2: null, postal_code: null, state: null };
        bench.stripe.customer = { ...bench.stripe.customer, address: { ...address, country: 'DE' } };
        const at = DateTime.fromISO(day, { zone: 'utc' }).plus({ hours: offset });
        await bench.wait({ milliseconds: at.diff(START).toMillis() });
        const id = await send();
        const { hour } = at.setZone('Europe/Berlin');
        const isOpen = hour >= 8 && hour < 20;
        expect(bench.emails).toHaveLength(isOpen ? 1 : 0);
        if (isOpen) return;
        const dueAt = (await bench.action(id))?.dueAt.setZone('Europe/Berlin') ?? DateTime.fromMillis(0);
        expect([dueAt.hour, dueAt.minute]).toEqual([8, 0]);
        expect(dueAt.diff(at).as('hours')).toBeLessThanOrEqual(13);
      }),
      { numRuns: runs(20) },
    );
  });
});

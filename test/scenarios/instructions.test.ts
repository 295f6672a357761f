/** What becomes of each kind of instruction, with a remote service that the test plays. */

import {
  acceptsFirst,
  declines,
  declinesTimes,
  requiresAuthentication,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { operate } from '../support/operate.ts';
import {
  actionsOf,
  callBack,
  chargesOf,
  failingInvoice,
  instruct,
  instructionOf,
  payCalls,
  statusOf,
} from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { type ByName, emailsTo, failTogether } from './fail-together.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true });
});
afterAll(() => world?.stop());

const tomorrow = () => world.clock.now().plus({ hours: 25 });
const forgiving = (fingerprint: string) => declinesTimes(1, 'insufficient_funds', {}, { fingerprint });

describe('about invoices that failed at one time', () => {
  const FORGIVING = [
    ...['near', 'RETRY', 'CARD_CHANGE', 'CARD_CONFIRMATION', 'UNSPECIFIED', 'SOMETHING_NEW', 'soon', 'late'],
    ...['paid', 'voided', 'held', 'waiting', 'far', 'repeated', 'twins', 'wrapped', 'ended'],
  ];
  let failed: ByName<string>;
  beforeAll(async () => {
    failed = await failTogether<string>(world, {
      ...Object.fromEntries(FORGIVING.map((name) => [name, forgiving(name)])),
      stolen: acceptsFirst(1, declines('stolen_card')),
      confirming: acceptsFirst(1, requiresAuthentication()),
    });
  });
  afterAll(() => world.reset());

  const ask = async (invoiceId: string, suggestion: string, at = tomorrow()) => {
    const body = {
      requestId: `asked for ${invoiceId}`,
      invoiceId,
      actionSuggestion: `ACTION_SUGGESTION_${suggestion}`,
      idealRetryTime: at.toISO(),
    };
    return (await callBack(world, body)).body;
  };

  test('the answer within an hour of the last attempt names the time after it', async () => {
    const { invoiceId } = failed('near');
    expect(await ask(invoiceId, 'RETRY', world.clock.now().plus({ minutes: 10 }))).toEqual({
      success: true,
      message: expect.stringMatching(
        /^Retry scheduled for \S+Z instead of \S+Z: 1 hour between attempts \(hours_between_attempts\)$/,
      ),
    });
  });

  test('the answer says what comes of each suggestion, and to its repetition that it is known; without one nothing is done', async () => {
    const answers = {
      RETRY: /^Retry scheduled for 2026-\S+Z$/,
      CARD_CHANGE: /^Card update email scheduled for 2026-\S+Z$/,
      CARD_CONFIRMATION: /^Confirmation email scheduled for 2026-\S+Z$/,
      UNSPECIFIED: /^Recorded; nothing is done: the service made no suggestion \(no_suggestion\)$/,
      SOMETHING_NEW: /nothing is done: the suggestion ACTION_SUGGESTION_SOMETHING_NEW is not understood/,
    };
    const reasons: Readonly<Record<string, object>> = {
      UNSPECIFIED: { code: 'no_suggestion' },
      SOMETHING_NEW: { code: 'suggestion_not_understood', suggestion: 'ACTION_SUGGESTION_SOMETHING_NEW' },
    };
    const at = tomorrow();
    const asked = Object.entries(answers).map(([suggestion, words]) => ({
      suggestion,
      words,
      ...failed(suggestion),
    }));
    for (const { suggestion, words, invoiceId } of asked)
      expect([suggestion, await ask(invoiceId, suggestion, at)]).toEqual([
        suggestion,
        { success: true, message: expect.stringMatching(words) },
      ]);
    await world.settle();
    const known = { success: true, message: 'Known already; nothing new is done' };
    for (const { suggestion, invoiceId } of asked) {
      expect([suggestion, await ask(invoiceId, suggestion, at)]).toEqual([suggestion, known]);
      const reason = reasons[suggestion];
      if (!reason) continue;
      expect(await instructionOf(world, `asked for ${invoiceId}`)).toEqual({ state: 'no_action', reason });
      expect(await actionsOf(world, invoiceId)).toEqual([]);
    }
  });

  test('the answer for a card that cannot pay says that the customer is asked instead, who then is', async () => {
    const { invoiceId } = failed('stolen');
    expect(await ask(invoiceId, 'RETRY')).toEqual({
      success: true,
      message: expect.stringMatching(
        /^Card update email scheduled for 2026-\S+Z instead of the retry: this card was declined .* \(hard_decline\)$/,
      ),
    });
    await world.advance({ days: 1 });
    expect(emailsTo(world, 'stolen')).toHaveLength(1);
    expect(payCalls(world, invoiceId)).toEqual([]);
  });

  test('RETRY pays the invoice at its time, or now if that is past', async () => {
    const [{ invoiceId }, late] = [failed('soon'), failed('late')];
    await instruct(world, invoiceId, 'RETRY', tomorrow());
    await world.advance({ hours: 24.9 });
    expect(payCalls(world, invoiceId)).toEqual([]);
    await world.advance({ hours: 0.1 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    await instruct(world, late.invoiceId, 'RETRY', world.clock.now().minus({ hours: 20 }));
    expect(statusOf(world, late.invoiceId)).toBe('paid');
  });

  test('an instruction for an invoice that is paid, void, held by a person or unknown does nothing, as the answer says', async () => {
    const [paid, voided, held] = [failed('paid'), failed('voided'), failed('held')];
    world.sandbox.payOutOfBand(paid.invoiceId);
    world.sandbox.voidInvoice(voided.invoiceId);
    await world.settle();
    await operate(world, 'stop', { invoice: held.invoiceId }, 'the customer called in tears');
    const tell = async (invoiceId: string, suggestion: string) => {
      const answer = Object(await ask(invoiceId, suggestion)).message;
      await world.settle();
      return { answer, came: await instructionOf(world, `asked for ${invoiceId}`) };
    };
    expect(await tell(paid.invoiceId, 'RETRY')).toEqual({
      answer: `Recorded; nothing is done: invoice ${paid.invoiceId} is paid already (invoice_settled)`,
      came: {
        state: 'no_action',
        reason: { code: 'invoice_settled', invoiceId: paid.invoiceId, status: 'paid' },
      },
    });
    expect((await tell(voided.invoiceId, 'CARD_CHANGE')).came).toMatchObject({ state: 'no_action' });
    expect(await actionsOf(world, voided.invoiceId)).toEqual([]);
    expect(await tell(held.invoiceId, 'RETRY')).toMatchObject({
      answer: 'Recorded; nothing is done: a person stopped it (stopped_by_person)',
      came: { state: 'no_action' },
    });
    expect((await tell('in_unknown', 'RETRY')).came).toEqual({
      state: 'refused',
      reason: { code: 'invoice_unknown', invoiceId: 'in_unknown' },
    });
  });

  test('a retry is closed when its invoice is voided while it waits', async () => {
    const { invoiceId } = failed('waiting');
    await instruct(world, invoiceId, 'RETRY', tomorrow());
    world.sandbox.voidInvoice(invoiceId);
    await world.advance({ days: 2 });
    expect(payCalls(world, invoiceId)).toEqual([]);
    expect(await actionsOf(world, invoiceId)).toMatchObject([
      { state: 'closed', reason: { code: 'invoice_ended', status: 'void' } },
    ]);
  });

  test('a time beyond the horizon is refused, as the answer says; the last day within it is taken', async () => {
    const { invoiceId } = failed('far');
    const now = world.clock.now();
    const tooLate = now.plus({ days: 60, minutes: 1 });
    expect(await ask(invoiceId, 'RETRY', tooLate)).toMatchObject({
      success: true,
      message: expect.stringMatching(/^Recorded and refused: its time .* is more than 60 days away/),
    });
    await world.settle();
    expect(await instructionOf(world, `asked for ${invoiceId}`)).toMatchObject({
      state: 'refused',
      reason: { code: 'beyond_horizon', days: 60, idealRetryAt: tooLate.toISO() },
    });
    const taken = await instruct(world, invoiceId, 'RETRY', now.plus({ days: 60 }));
    expect(await instructionOf(world, taken)).toMatchObject({ state: 'scheduled' });
  });

  test('the same request id counts once, also when it comes after a newer instruction', async () => {
    const { invoiceId } = failed('repeated');
    const first = await instruct(world, invoiceId, 'RETRY', tomorrow());
    await instruct(world, invoiceId, 'RETRY', tomorrow(), first);
    expect(await actionsOf(world, invoiceId)).toHaveLength(1);
    const newer = await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ days: 3 }));
    await instruct(world, invoiceId, 'RETRY', tomorrow(), first);
    // A newer instruction replaces the older one.
    expect((await actionsOf(world, invoiceId)).map(({ state, reason }) => [state, reason])).toEqual([
      ['closed', { code: 'replaced', requestId: newer }],
      ['scheduled', null],
    ]);
    await world.advance({ days: 2 });
    expect(payCalls(world, invoiceId)).toEqual([]);
    await world.advance({ days: 3 });
    expect(payCalls(world, invoiceId)).toHaveLength(1);
    expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
  });

  test('two callbacks with one request id at the same moment make one action', async () => {
    const { invoiceId } = failed('twins');
    const body = {
      requestId: 'request_twins',
      invoiceId,
      actionSuggestion: 'ACTION_SUGGESTION_RETRY',
      idealRetryTime: tomorrow().toISO(),
    };
    const answers = await Promise.all(Array.from({ length: 5 }, () => callBack(world, body)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    await world.settle();
    expect(await actionsOf(world, invoiceId)).toHaveLength(1);
  });

  test('an envelope of type recovery_action is an instruction', async () => {
    const { invoiceId } = failed('wrapped');
    const data = {
      invoiceId,
      actionSuggestion: 'ACTION_SUGGESTION_RETRY',
      idealRetryTime: tomorrow().toISO(),
    };
    const answer = await callBack(world, {
      id: 'evt_1',
      type: 'recovery_action',
      created: world.clock.now().toISO(),
      data,
    });
    expect(answer).toEqual({
      status: 200,
      body: { success: true, message: expect.stringMatching('^Retry scheduled for ') },
    });
    await world.settle();
    expect(await instructionOf(world, 'evt_1')).toMatchObject({ state: 'scheduled' });
  });

  test('an envelope of the type complete_dunning ends what is scheduled', async () => {
    const { invoiceId } = failed('ended');
    await instruct(world, invoiceId, 'RETRY', tomorrow());
    const answer = await callBack(world, { id: 'stop_1', type: 'complete_dunning', data: { invoiceId } });
    expect(answer).toEqual({ status: 200, body: { success: true, message: 'Stop recorded' } });
    await world.advance({ days: 2 });
    expect(await instructionOf(world, 'stop_1')).toEqual({
      state: 'no_action',
      reason: { code: 'actions_stopped', count: 1 },
    });
    expect(payCalls(world, invoiceId)).toEqual([]);
  });

  test('CARD_CONFIRMATION emails the page on which the customer confirms', async () => {
    const { invoiceId } = failed('confirming');
    await instruct(world, invoiceId, 'CARD_CONFIRMATION');
    await world.advance({ days: 1 });
    const [email] = emailsTo(world, 'confirming');
    expect(email?.to?.[0]?.address).toBe('confirming@example.com');
    const { hosted_invoice_url: page } = world.sandbox.state.invoices.get(invoiceId) ?? {};
    expect(email?.html).toContain(page);
    const paid = await fetch(page ?? '', { method: 'POST' });
    expect(paid.status).toBe(200);
    expect(statusOf(world, invoiceId)).toBe('paid');
  });
});

describe('about one invoice', () => {
  afterEach(() => world.reset());

  test('an instruction for an invoice that was paid by us does nothing, though the webhook that says so was lost', async () => {
    const { invoiceId } = await failingInvoice(world, forgiving('lost'));
    world.sandbox.webhookFaults.drop = 1;
    await instruct(world, invoiceId, 'RETRY', tomorrow());
    await world.advance({ hours: 25 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    const again = { invoiceId, requestId: 'again', actionSuggestion: 'ACTION_SUGGESTION_RETRY' };
    const { body } = await callBack(world, { ...again, idealRetryTime: tomorrow().toISO() });
    expect(body).toEqual({
      success: true,
      message: `Recorded; nothing is done: invoice ${invoiceId} is paid already (invoice_settled)`,
    });
    await world.settle();
    expect(await instructionOf(world, 'again')).toMatchObject({
      state: 'no_action',
      reason: { code: 'invoice_settled', status: 'paid' },
    });
    expect((await actionsOf(world, invoiceId)).map(({ state }) => state)).toEqual(['done']);
  });

  test('an envelope of an unknown type is acknowledged, recorded and left alone', async () => {
    const answer = await callBack(world, {
      id: 'evt_new',
      type: 'something_new',
      data: { invoiceId: 'in_1' },
    });
    expect(answer.status).toBe(200);
    await world.settle();
    expect(await instructionOf(world, 'evt_new')).toMatchObject({
      state: 'no_action',
      reason: { code: 'message_not_understood' },
    });
  });

  test('an email waits for the hours of the customer, who lives elsewhere', async () => {
    const { invoiceId } = await failingInvoice(world, acceptsFirst(1, declines('stolen_card')), {
      country: 'JP',
    });
    const night = world.clock.now().setZone('Asia/Tokyo').plus({ days: 1 }).set({ hour: 23, minute: 30 });
    await instruct(world, invoiceId, 'CARD_CHANGE', night);
    const [action] = await actionsOf(world, invoiceId);
    expect(action?.dueAt.toISO()).toBe(night.plus({ hours: 8.5 }).toUTC().toISO());
    await world.advance({ days: 2 });
    expect(world.email.emails).toHaveLength(1);
    expect(Date.parse(world.email.emails[0]?.date ?? '')).not.toBeNaN();
  });
});

import { toIsoSeconds } from '../../../../src/core/base/clock.ts';
import { reportCallbacks } from '../../../../src/plugin/app/commands/callbacks-command.ts';
import { type Harness, startHarness } from '../../../service/service-harness.ts';
import { buildInvoiceMessage, failPayment, ingest } from '../../../service/service-messages.ts';
import { ENGINES } from '../../../support/database/databases.ts';

const REFUSAL = { status: 400, body: { success: false, message: 'no such invoice' } };
const LOST_CARD = { paymentGatewayErrorCode: 'lost_card' };

describe.each(ENGINES)('on $engine', (engine) => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness({}, engine);
  });
  beforeEach(() => harness.clear());
  afterAll(() => harness?.stop());

  const callbacks = (args: string[] = [], json = false) =>
    reportCallbacks(harness.database, args, { json, now: harness.clock.now() });
  const startAgain = async () => {
    await harness.restart();
    await harness.drain();
  };

  test('the callbacks command has nothing to do when nothing is undelivered', async () => {
    await failPayment(harness);
    expect(await callbacks()).toEqual({ code: 0, text: 'No action required.' });
  });

  test('a callback that was given up is listed, and sent again on request under the same id', async () => {
    harness.receiver.behave(() => REFUSAL);
    await failPayment(harness, LOST_CARD);
    const [{ requestId } = { requestId: '' }] = await harness.listAll();
    const { code, text } = await callbacks();
    expect(code).toBe(1);
    expect(text).toContain(
      `  ${requestId}: CARD_CHANGE in_1 of default, for 2026-03-02 14:30:00 UTC, given up 2026-03-02 14:30:00 UTC: refused: 400: no such invoice`,
    );
    harness.receiver.behave(undefined);
    expect(await callbacks(['resend'])).toMatchObject({
      code: 0,
      text: expect.stringMatching(/^1 instruction put back/),
    });
    expect(await harness.listAll()).toMatchObject([{ status: 'RECOVERY_ACTION_STATUS_PENDING' }]);
    await startAgain();
    expect(harness.receiver.accepted.map((one) => one.requestId)).toEqual([requestId]);
    expect(await harness.listAll()).toMatchObject([{ status: 'RECOVERY_ACTION_STATUS_SENT' }]);
    expect((await callbacks()).code).toBe(0);
    expect(await callbacks(['resend'])).toMatchObject({ text: expect.stringMatching(/^0 instructions/) });
    await startAgain();
    expect(harness.receiver.accepted).toHaveLength(1);
  });

  test('a callback that is sent again gets three more days', async () => {
    harness.receiver.behave(() => ({ status: 503, body: {} }));
    await failPayment(harness, LOST_CARD);
    await harness.leap({ hours: 26 }, 3);
    expect((await callbacks()).text).toContain('not acknowledged: 503');
    await callbacks(['resend']);
    await startAgain();
    await harness.leap({ hours: 22 }, 3);
    expect(await harness.listAll()).toMatchObject([{ status: 'RECOVERY_ACTION_STATUS_PENDING' }]);
    await harness.leap({ hours: 6 }, 2);
    expect(await harness.listAll()).toMatchObject([{ status: 'RECOVERY_ACTION_STATUS_FAILED' }]);
  });

  test('a callback that was given up is neither listed nor sent again once its invoice was paid or asked anew', async () => {
    harness.receiver.behave(() => REFUSAL);
    await failPayment(harness, LOST_CARD);
    await failPayment(harness, { ...LOST_CARD, id: 'ch_2', invoiceId: 'in_2' });
    const ids = (await harness.listAll()).map(({ requestId }) => requestId ?? '');
    const updatedAt = toIsoSeconds(harness.clock.now().plus({ seconds: 1 }));
    await ingest(harness, 'invoices', buildInvoiceMessage({ state: 'INVOICE_STATE_PAID', updatedAt }));
    const listed = JSON.parse((await callbacks([], true)).text);
    expect(listed.undelivered).toMatchObject([{ invoiceId: 'in_2' }]);
    const answer = await callbacks(['resend', ...ids, 'unknown']);
    expect(answer.code).toBe(1);
    expect(answer.text.split('\n')).toEqual([
      expect.stringMatching(/^1 instruction put back/),
      expect.stringContaining(`${ids[0]}: not one that was given up, or of no use any more`),
      expect.stringContaining('unknown: not one'),
    ]);
  });

  test('the callbacks command reports a receiver that is left alone, which is called at once after a resend', async () => {
    harness.receiver.behave(() => ({ status: 503, body: { success: false, message: 'later' } }));
    for (let index = 0; index < 6; index += 1)
      await failPayment(harness, { ...LOST_CARD, id: `ch_${index}`, invoiceId: `in_${index}` });
    const { code, text } = await callbacks();
    expect(code).toBe(1);
    expect(text).toContain(`${harness.receiver.url}: 5 failures in a row since 2026-03-02 14:30:00 UTC`);
    expect(text).toContain('default: 6, the oldest made 2026-03-02 14:30:00 UTC');
    harness.receiver.behave(undefined);
    await callbacks(['resend']);
    await failPayment(harness, { ...LOST_CARD, id: 'ch_9', invoiceId: 'in_9' });
    expect(harness.receiver.accepted.map(({ invoiceId }) => invoiceId)).toEqual(['in_9']);
    expect((await callbacks()).code).toBe(0);
  });

  test('the callbacks command refuses an unknown step', async () => {
    await expect(callbacks(['delete'])).rejects.toThrow('list, resend');
  });
});

import { migrateService } from '../../../src/service/migrate-service.ts';
import { type DecisionReason, readDecisionReasons } from '../../../src/service/reasons/decision-reason.ts';
import { describeStatusReason } from '../../../src/service/reasons/describe-status-reason.ts';
import { readStatusReason } from '../../../src/service/reasons/status-reason.ts';
import { openBefore } from '../../support/database-before.ts';
import { ENGINES } from '../../support/databases.ts';

/** As they were written before there were codes. */
const STATUS_REASONS: readonly [string | null, object | null][] = [
  [null, null],
  ['superseded', { code: 'superseded' }],
  ['collection_is_paused', { code: 'collection_is_paused' }],
  ['no_outcome_was_reported', { code: 'no_outcome_was_reported' }],
  ['to be sent again', { code: 'resend_asked' }],
  ['waiting: the receiver does not answer', { code: 'receiver_unavailable' }],
  ['the organization is not served any more', { code: 'organization_not_served' }],
  ['not acknowledged: the receiver did not answer', { code: 'not_acknowledged' }],
  ['not acknowledged: 503: later', { code: 'not_acknowledged', answer: '503: later' }],
  ['refused: 400: invoiceId: unknown', { code: 'refused', answer: '400: invoiceId: unknown' }],
  ['no answer: ECONNREFUSED', { code: 'legacy_text', text: 'no answer: ECONNREFUSED' }],
];
const SENTENCES = ["Friday 2026-03-06 09:00 in the customer's zone: it fits.", '1 of 8 attempts used.'];
const KEPT: readonly DecisionReason[] = SENTENCES.map((text) => ({ code: 'legacy_text', text }));

test.each(ENGINES)(
  'sentences of cases and recovery actions from before are still read, on $engine',
  async (engine) => {
    const { database, close } = await openBefore(engine, '0013', 'retry_service');
    for (const reasons of [SENTENCES.join('\n'), ''])
      await database.query(
        `insert into retry_service.cases (organization, invoice_id, state, reason, opened_at, updated_at, reasons)
         values ('default', $1, 'open', 'soft_decline', now(), now(), $2)`,
        [`in_${reasons.length}`, reasons],
      );
    for (const [reason] of STATUS_REASONS)
      await database.query(
        `insert into retry_service.recovery_actions (id, organization, request_id, invoice_id, customer_id, decided_for, currency,
           suggestion, ideal_retry_at, reason, status, created_at, updated_at, reasons, status_reason)
         values (gen_random_uuid(), 'default', gen_random_uuid(), 'in_1', 'cus_1', 'ch_1', 'EUR', 'x', now(), 'x', 'FAILED',
           now(), now(), $1, $2)`,
        [SENTENCES.join('\n'), reason],
      );

    await migrateService(database);

    const cases = await database.query<{ reasons: unknown[] }>(
      'select reasons from retry_service.cases order by invoice_id',
    );
    expect(cases.map(({ reasons }) => readDecisionReasons(reasons))).toEqual([[], KEPT]);
    const actions = await database.query<{ reasons: unknown[]; statusReason: unknown }>(
      'select reasons, status_reason from retry_service.recovery_actions order by position',
    );
    expect(actions).toEqual(STATUS_REASONS.map(([, statusReason]) => ({ reasons: KEPT, statusReason })));
    const texts = actions.map(({ statusReason }) => {
      const read = readStatusReason(statusReason);
      return read && describeStatusReason(read);
    });
    expect(texts).toEqual(STATUS_REASONS.map(([sentence]) => sentence));
    await close();
  },
);

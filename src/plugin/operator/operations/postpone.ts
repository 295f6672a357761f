import { DateTime, IANAZone } from 'luxon';
import { z } from 'zod';
import { toIso } from '../../../core/base/clock.ts';
import { listPlannedWork, moveActions } from '../../store/tables/retry/planned-actions.ts';
import { findPostponement, recordPostponement } from '../../store/tables/retry/postponements.ts';
import { readBefore } from '../../store/tables/retry/restore-invoice.ts';
import { findInvoice } from '../../store/tables/sync/invoices.ts';
import { defineOperation, plural, recordOperation, result } from './operation.ts';
import {
  changeInvoice,
  describePlanned,
  invoiceParameters,
  invoiceUnknown,
  previewOnInvoice,
  unknownWords,
  warnOfStripe,
} from './subjects.ts';

/** Moments as people give them to an operation: ISO 8601, on the clocks of a zone where the text names none itself. */
export const zonedMoment = z
  .string()
  .trim()
  // Without its day, a time would be of the day on which it is read.
  .refine(
    (given) => /^\d{4}/.test(given) && parse(given).isValid,
    'a date or a time as ISO 8601, such as 2026-04-01T09:00Z',
  );

export const zoneName = z
  .string()
  .trim()
  .refine(IANAZone.isValidZone, 'an IANA time zone, such as Europe/Berlin')
  .default('UTC');

/**
 * Undefined for a time that the zone's clocks leave out when they go forward; of one that they show twice, the second. A day
 * begins with the first time that there is on it. Takes what `zonedMoment` and `zoneName` let pass.
 */
export function toMoment(given: string, zone: string): DateTime | undefined {
  const [moment, asWritten] = [parse(given, zone), parse(given.replace(/\[.*$/s, ''))];
  const isDay = !/t/i.test(given);
  if (!isDay && onTheWall(moment) !== onTheWall(asWritten)) return undefined;
  return DateTime.max(...moment.getPossibleOffsets());
}

function parse(given: string, zone = 'UTC'): DateTime {
  return DateTime.fromISO(given, { zone, setZone: true });
}

function onTheWall(moment: DateTime): string | null {
  return moment.toISO({ includeOffset: false });
}

/** What waits longer is forgotten rather than postponed: `stop` says so. */
const MOST_DAYS = 90;

export const postpone = defineOperation({
  description: 'Pause charges and emails for an invoice until a given time.',
  movesMoney: false,
  parameters: invoiceParameters.extend({
    until: zonedMoment.describe('Until when: a date or a time, ISO 8601.'),
    zone: zoneName.describe('The IANA time zone of `until` where it names none itself; else UTC.'),
  }),
  result: z.discriminatedUnion('code', [
    result('changed', 'postponed', {
      invoice: z.string(),
      until: z.string(),
      /** Planned payments and emails that were moved. */
      moved: z.int(),
      /** Stripe's own next attempt, as far as is known: our waiting does not stop it. */
      stripeTriesAt: z.string().optional(),
      undo: z.int(),
    }),
    result('unchanged', 'postponed_already', { invoice: z.string(), until: z.string() }),
    result('refused', 'no_such_time', { invoice: z.string(), until: z.string(), zone: z.string() }),
    result('refused', 'not_in_the_future', { invoice: z.string(), until: z.string() }),
    result('refused', 'too_far_away', { invoice: z.string(), until: z.string(), days: z.int() }),
    invoiceUnknown,
  ]),
  /**
   * Holds back charges and emails about the invoice until then, also if the service asks again. A card that the customer gives
   * meanwhile is charged immediately, and so is an operator's request.
   */
  run: async ({ database, clock, enqueue }, asking, { until: given, zone, ...of }) => {
    const { invoice } = of;
    const now = clock.now();
    const until = toMoment(given, zone);
    if (!until) return { outcome: 'refused', code: 'no_such_time', invoice, until: given, zone };
    const details = { invoice, until: toIso(until) };
    if (until <= now) return { outcome: 'refused', code: 'not_in_the_future', ...details };
    if (until > now.plus({ days: MOST_DAYS }))
      return { outcome: 'refused', code: 'too_far_away', ...details, days: MOST_DAYS };
    return changeInvoice(database, of, async (tx, key) => {
      const known = await findPostponement(tx, key);
      if (known?.until.toMillis() === until.toMillis())
        return { outcome: 'unchanged', code: 'postponed_already', ...details };
      const before = await readBefore(tx, key);
      await recordPostponement(tx, { ...key, until, note: asking.reason });
      const reason = { code: 'postponed_by_person', until: details.until, note: asking.reason } as const;
      const moved = await moveActions(tx, key, until, reason);
      await enqueue(
        'execute-action',
        moved.map((actionId) => ({ data: { actionId, account: key.account }, startAfter: until })),
        tx,
      );
      const detail = { until: details.until, before };
      const undo = await recordOperation(tx, asking, now, { ...key, kind: 'operator.postponed', detail });
      const stored = await findInvoice(tx, key.account, invoice);
      const next = stored?.status === 'open' ? stored.nextAttemptAt : null;
      const stripeTriesAt = next && next < until ? next.toISO() : undefined;
      return { outcome: 'changed', code: 'postponed', ...details, moved: moved.length, stripeTriesAt, undo };
    });
  },
  preview: previewOnInvoice(invoiceParameters, async ({ database }, { account, invoiceId }) => {
    const planned = await listPlannedWork(database, { account, invoiceIds: [invoiceId] });
    return {
      will: (say) =>
        `Put off ${describePlanned(planned, say) ?? 'the actions that the service asks for'} until the time you choose, at most ${MOST_DAYS} days from now`,
    };
  }),
  words: {
    ...unknownWords,
    postponed: ({ invoice, until, moved, stripeTriesAt }, say) => [
      `${say.invoice(invoice)} is neither charged nor emailed about until ${say.moment(until)} (${plural(moved, 'planned action')} moved)`,
      ...warnOfStripe(stripeTriesAt, 'that is not postponed', say),
    ],
    postponed_already: ({ invoice, until }, say) =>
      `nothing changed: ${say.invoice(invoice)} is postponed to ${say.moment(until)}`,
    no_such_time: ({ until, zone }) =>
      `nothing was done: there is no ${until.replace('T', ' ')} in ${zone}, where the clocks go forward over it; choose another time`,
    not_in_the_future: ({ until }, { moment }) => `${moment(until)} is not in the future`,
    too_far_away: ({ until, days }, { moment }) =>
      `${moment(until)} is more than ${days} days away; stop the collection instead`,
  },
  history: { 'operator.postponed': 'charges and emails postponed' },
  command: {
    use: 'invoices postpone <invoice>',
    values: { until: '<time>', zone: '<name>' },
    needs: 'database',
    examples: [
      'invoices postpone in_… --until 2026-04-01',
      'invoices postpone in_… --until 2026-04-01T09:00 --zone Europe/Berlin --reason "pays on Friday"',
    ],
  },
  form: {
    about: 'invoice',
    title: 'Postpone',
    button: 'Postpone',
    asks: [
      { name: 'until', label: 'Until', as: 'moment' },
      { name: 'zone', label: 'Time zone', as: 'zone' },
    ],
  },
  app: { needs: 'operate' },
});

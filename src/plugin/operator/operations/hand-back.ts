import { z } from 'zod';
import { reasonSchema } from '../../reasons/reason.ts';
import { type Handback, handBack as handBackInvoice } from '../../retry/exclusive/hand-back-invoice.ts';
import { listPauses } from '../../store/tables/retry/pauses.ts';
import { listTakenOver } from '../../store/tables/retry/takeovers.ts';
import { defineOperation, idList, result, type Say } from './operation.ts';

const FATES = ['handed_back', 'settled', 'kept'] as const satisfies readonly Handback['kind'][];

const looks = z.array(
  z.object({ invoice: z.string(), became: z.enum(FATES), reason: reasonSchema.optional() }),
);
type Looks = z.output<typeof looks>;
/** `notOurs`: asked for, and not taken over. */
const notOurs = z.array(z.string());

/** One invoice, and reason. */
export function describeLook({ invoice, became, reason }: Looks[number], say: Pick<Say, 'reason'>): string {
  return `${invoice}: ${IN_WORDS[became]}${reason ? `, ${say.reason(reason)}` : ''}`;
}

const IN_WORDS = {
  handed_back: 'handed back to Stripe',
  settled: 'nothing to hand back',
  kept: 'kept',
} as const satisfies Record<(typeof FATES)[number], string>;

function describeHandBack(
  { invoices, notOurs }: { readonly invoices: Looks; readonly notOurs: readonly string[] },
  say: Say,
): string[] {
  const count = (fate: keyof typeof IN_WORDS) => invoices.filter(({ became }) => became === fate).length;
  return [
    ...describeOthers(notOurs),
    ...invoices.map((look) => describeLook(look, say)),
    `${count('handed_back')} handed back, ${count('settled')} settled, ${count('kept')} kept`,
  ];
}

const describeOthers = (ids: readonly string[]) => ids.map((id) => `${id}: not taken over`);

export const handBack = defineOperation({
  description: "Return invoices taken over in exclusive mode to Stripe's own retries.",
  movesMoney: true,
  isFinal: true,
  parameters: z.object({
    invoices: idList.optional().describe('These invoices; left out, all that were taken over.'),
  }),
  result: z.discriminatedUnion('code', [
    result('changed', 'handed_back', { invoices: looks, notOurs }),
    result('unchanged', 'nothing_to_hand_back', { notOurs }),
    /** Each would be charged although it must not be, or more often than allowed. */
    result('refused', 'all_kept', { invoices: looks, notOurs }),
    result('refused', 'effects_paused', {}),
  ]),
  /** Returns one invoice after the other; after an interruption the rest is still with us. */
  run: async ({ database, retry }, { who, reason }, { invoices: asked }) => {
    if ((await listPauses(database)).length > 0) return { outcome: 'refused', code: 'effects_paused' };
    const ours = await listTakenOver(database, asked);
    const notOurs = (asked ?? []).filter((id) => !ours.some(({ invoiceId }) => invoiceId === id));
    if (ours.length === 0) return { outcome: 'unchanged', code: 'nothing_to_hand_back', notOurs };
    const because = { code: 'operator_asked', by: who.name, note: reason } as const;
    const invoices: Looks = [];
    for (const key of ours) {
      const { kind: became, ...details } = await handBackInvoice(retry(), key, because);
      const why = 'reason' in details ? details.reason : undefined;
      invoices.push({ invoice: key.invoiceId, became, reason: why });
    }
    return invoices.every(({ became }) => became === 'kept')
      ? { outcome: 'refused', code: 'all_kept', invoices, notOurs }
      : { outcome: 'changed', code: 'handed_back', invoices, notOurs };
  },
  words: {
    handed_back: describeHandBack,
    all_kept: describeHandBack,
    nothing_to_hand_back: ({ notOurs }) => [
      'nothing changed: no invoice is taken over',
      ...describeOthers(notOurs),
    ],
    effects_paused: () => 'nothing was done: everything is paused; `resume` first',
  },
  isPartial: (result) =>
    result.code === 'handed_back' &&
    (result.notOurs.length > 0 || result.invoices.some(({ became }) => became === 'kept')),
  command: {
    use: 'invoices handback [invoices...]',
    needs: 'settings',
    examples: ['invoices handback', 'invoices handback in_… --reason "we leave"'],
  },
});

/** What a person can do with an invoice, as its view offers it: the console's forms, made from the same rows. */

import type { Need } from '../../store/reports/money/needs.ts';
import type { FormSpec, InvoiceStanding } from '../operations/operation.ts';
import { type OperationName, operationOf } from '../operations/operations.ts';
import { NEED_ROWS } from '../text/describe-need.ts';
import {
  ASK_FOR_CARD,
  listForms,
  type OperationPreview,
  previewOperation,
} from '../text/preview-operation.ts';
import type { OfferedOperation } from './answers.ts';
import type { AnswerDeps, AppQuery } from './define-request.ts';
import { sayTo } from './reader.ts';

/** What helps comes first. */
export async function offerOperations(
  { operations }: AnswerDeps,
  { account, reader }: AppQuery,
  { id, standing, need }: { id: string; standing: InvoiceStanding; need: Need | null },
): Promise<OfferedOperation[]> {
  const say = sayTo(reader);
  const offer = async (form: Form): Promise<readonly [Form, OperationPreview]> => {
    const fields = { invoice: id, account, ...form.fields };
    const { hasPreview } = operationOf(form.name);
    return [form, hasPreview ? await previewOperation(operations, form.name, fields, say) : {}];
  };
  const helping = needed(need);
  const others = listForms('invoice', standing)
    .map(({ name, form }): Form => ({ ...form, name }))
    .filter(({ name }) => name !== helping?.name || helping.fields !== undefined)
    .sort((one, other) => Number(isRelease(other, standing)) - Number(isRelease(one, standing)));
  const offered = await Promise.all([...(helping ? [helping] : []), ...others].map(offer));
  const wantsCard = offered.some(([{ name }, { needsOtherCard }]) => name === 'retry' && needsOtherCard);
  const isAsked = helping?.fields?.template === ASK_FOR_CARD.fields.template;
  const asking = wantsCard && !isAsked ? [await offer(ASK_FOR_CARD)] : [];
  return offered.toSpliced(helping ? 1 : 0, 0, ...asking).flatMap(toOffer);
}

interface Form extends Pick<FormSpec, 'title' | 'button' | 'isDangerous' | 'asks'> {
  readonly name: OperationName;
  readonly fields?: Readonly<Record<string, string>>;
}

/** What a person has stopped, a person lets go on. */
const isRelease = ({ name }: Form, { isHeld }: InvoiceStanding) => isHeld && name === 'release';

/** The operation that helps, where one of ours does. */
function needed(need: Need | null): Form | undefined {
  const action = need === null ? undefined : NEED_ROWS[need].action;
  return action && 'operation' in action ? { ...action, name: action.operation } : undefined;
}

/** Nothing where the views may not ask for it. */
function toOffer([form, { will, refusal }]: readonly [Form, OperationPreview]): OfferedOperation[] {
  const { app } = operationOf(form.name);
  if (app?.needs !== 'operate') return [];
  return [
    {
      request: app.request ?? form.name,
      parameters: form.fields ?? {},
      title: form.title,
      button: form.button,
      isDangerous: form.isDangerous ?? false,
      asksUntil: form.asks?.some(({ name }) => name === 'until') ?? false,
      will: will?.map((sentence) => `${sentence}.`).join(' ') ?? null,
      refusal: refusal ?? null,
    },
  ];
}

/** The plugin's guards and the service's policy read every combination of codes alike. */
import { type Classification, classifyDecline } from '../../../src/core/declines/decline-classes.ts';
import { DECLINES } from '../../../src/core/declines/find-decline.ts';
import {
  ADVICE_CODES,
  DEBIT_SCHEMES,
  MASTERCARD_ADVICE,
  VISA_CATEGORIES,
} from '../../../src/core/declines/network-codes.ts';
import { readCardRecord } from '../../../src/service/policy/card-record.ts';
import { buildCase, FIRST } from '../../service/policy/policy-cases.ts';

interface Codes {
  methodType: string;
  brand: string | undefined;
  code: string | undefined;
  adviceCode: string | undefined;
  networkCode: string | undefined;
  networkAdvice: string | undefined;
}

const codes = [undefined, 'a_code_of_next_year', ...DECLINES.map(({ code }) => code)];
const advice = [undefined, 'from_the_future', ...ADVICE_CODES.map(({ value }) => value)];
const visa = [undefined, ...VISA_CATEGORIES.flatMap(({ codes: values }) => values)];
const mastercard = [undefined, ...MASTERCARD_ADVICE.map(({ value }) => value)];

const ofCard = codes.flatMap((code) =>
  advice.flatMap((adviceCode): Codes[] => {
    const card = { methodType: 'card', code, adviceCode };
    return [
      { ...card, brand: undefined, networkCode: '14', networkAdvice: '03' },
      ...visa.map((networkCode) => ({ ...card, brand: 'visa', networkCode, networkAdvice: '03' })),
      ...mastercard.flatMap((networkAdvice) =>
        [undefined, '83'].map((networkCode) => ({
          ...card,
          brand: 'mastercard',
          networkCode,
          networkAdvice,
        })),
      ),
    ];
  }),
);
const ofDebit = DEBIT_SCHEMES.flatMap(({ methodType, returns }) =>
  codes.flatMap((code) =>
    [undefined, ...returns.map(({ value }) => value)].map(
      (networkCode): Codes => ({
        methodType,
        code,
        networkCode,
        brand: undefined,
        adviceCode: undefined,
        networkAdvice: undefined,
      }),
    ),
  ),
);

/** What the guards make of it, in the words of the policy. */
function fromGuards({ code, ...rest }: Codes): string {
  const classification = classifyDecline({ ...rest, code: 'card_declined', declineCode: code });
  return `${nameOf(classification, rest.methodType)}, ${classification.waitHours ?? 0} h`;
}

function nameOf({ class: name, isUnexplained, isMendable }: Classification, methodType: string): string {
  if (name === 'needs_new_card') return isMendable ? 'update' : 'hard';
  if (name === 'needs_customer') return 'authentication';
  if (name === 'never') return 'never';
  if (methodType !== 'card') return 'bank_retry';
  return isUnexplained ? 'generic' : 'soft';
}

/** Longer than usual, as a merchant may want it: then no refusal is an exception. */
const REST_HOURS = 25;

const CASE = buildCase({ brand: undefined, limits: { minGapHours: REST_HOURS } });

function fromPolicy({ networkAdvice: networkAdviceCode, ...rest }: Codes): string {
  const attempt = { ...rest, networkAdviceCode, at: FIRST };
  const { class: name, restUntil } = readCardRecord({ ...CASE, attempts: [attempt] }, attempt, FIRST);
  const hours = (restUntil.toMillis() - FIRST.toMillis()) / 3_600_000;
  return `${name}, ${hours} h`;
}

test('of cards and of debits', () => {
  expect([ofCard.length, ofDebit.length].every((count) => count > 500)).toBe(true);
  const rested = (told: string) =>
    told.replace(/\b(\d+) h$/, (_, hours) => `${Math.max(Number(hours), REST_HOURS)} h`);
  const differing = [...ofCard, ...ofDebit].flatMap((one) => {
    const [guards, policy] = [rested(fromGuards(one)), fromPolicy(one)];
    return guards === policy ? [] : [{ ...one, guards, policy }];
  });
  expect([differing.length, differing.slice(0, 5)]).toEqual([0, []]);
});

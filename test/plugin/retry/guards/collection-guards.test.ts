import { findObjection, type Guard } from '../../../../src/plugin/retry/actions/objection.ts';
import { HAND_BACK_GUARDS } from '../../../../src/plugin/retry/exclusive/hand-back-invoice.ts';
import {
  COLLECTION_GUARDS,
  findCollectionObjection,
} from '../../../../src/plugin/retry/guards/collection-guards.ts';
import { EMAIL_GUARDS } from '../../../../src/plugin/retry/guards/email-guards.ts';
import { GUARDS } from '../../../../src/plugin/retry/guards/guards.ts';
import { NO_CAMPAIGN } from '../../../../src/plugin/store/tables/retry/emails.ts';
import { buildGuardContext, NO_HOLDS, NOW } from '../../../support/database/stored-rows.ts';

const context = buildGuardContext();
const { invoice } = context;
const facts = (changes: object = {}, invoiceChanges: object = {}) => ({
  ...context,
  isGivenUp: false,
  template: 'card_update' as const,
  reminderDays: [0],
  campaign: NO_CAMPAIGN,
  ...changes,
  invoice: { ...invoice, ...invoiceChanges },
});
const subscription = { id: 'sub_1Basic', status: 'past_due', isPaused: false };

const LISTS: Readonly<Record<string, readonly Guard<ReturnType<typeof facts>>[]>> = {
  payments: GUARDS,
  emails: EMAIL_GUARDS,
  'hand-backs': HAND_BACK_GUARDS,
};
const OBSTACLES = {
  forgotten: facts({ holds: { ...NO_HOLDS, isForgotten: true } }),
  stopped: facts({ holds: { ...NO_HOLDS, holdReason: 'the customer called' } }),
  status: facts({}, { status: 'uncollectible', writtenOff: { reason: 'user_forgiven', at: NOW } }),
  disputed: facts({ holds: { ...NO_HOLDS, isDisputed: true } }),
  amount_remaining: facts({}, { amountRemaining: 0 }),
  collection_method: facts({}, { collectionMethod: 'send_invoice' }),
  customer: facts({}, { customer: undefined }),
  subscription: facts({}, { subscription: { ...subscription, status: 'incomplete_expired' } }),
  sign_up: facts({}, { isSignUp: true }),
  pause_collection: facts({}, { subscription: { ...subscription, isPaused: true } }),
  cancel_requested: facts(
    { afterCancelRequest: 'stop' },
    { subscription: { ...subscription, endsAt: NOW.plus({ days: 9 }) } },
  ),
};

test('each guard of collection has its obstacle here', () => {
  expect(COLLECTION_GUARDS.map(({ name }) => name)).toEqual(Object.keys(OBSTACLES));
});

test.each(Object.keys(LISTS))(
  '%s read the one list of collection guards, and object for its reasons',
  (reader) => {
    const list = LISTS[reader] ?? [];
    expect(findObjection(list, facts())).toBeUndefined();
    for (const obstacle of Object.values(OBSTACLES)) {
      const expected = findCollectionObjection(obstacle);
      expect(expected).toBeDefined();
      expect(findObjection(list, obstacle)).toEqual(expected);
    }
    expect(list).toEqual(expect.arrayContaining([...COLLECTION_GUARDS]));
  },
);

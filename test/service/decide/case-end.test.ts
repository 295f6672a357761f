import { endOf } from '../../../src/service/http/list-recovery-cases.ts';

test.each([
  ['attempts_used_up', 'given_up'],
  ['the_customer_did_not_act', 'given_up'],
  ['blocked_by_the_merchant_or_final', 'merchant'],
  ['collection_is_paused', 'merchant'],
  ['older_than_the_retry_window_when_first_seen', 'history'],
  ['invoice_paid', 'settled'],
  ['subscription_canceled', 'settled'],
  ['sent_to_customer', 'settled'],
  // Nobody's subscription ends over a reason that is not known.
  ['a_reason_of_next_year', 'merchant'],
])('a case closed because of %s is %s', (reason, end) => {
  expect(endOf({ state: 'closed', reason })).toBe(end);
  expect(endOf({ state: 'open', reason })).toBeUndefined();
});

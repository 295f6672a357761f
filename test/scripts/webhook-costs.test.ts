import { findGrown } from '../../scripts/bench/webhook-costs.ts';

const BEFORE = { bare: 200, receiver: 300, whole: 500 };

test.each([
  ['as it was', BEFORE, []],
  ['on a machine half as fast', { bare: 400, receiver: 600, whole: 1000 }, []],
  ['a little dearer', { bare: 200, receiver: 320, whole: 540 }, []],
  ['a tenth dearer', { bare: 200, receiver: 300, whole: 550 }, ['whole: 2.50 → 2.75 times a bare webhook']],
  ['with a side that was not there', { bare: 200, receiver: 300, peer: 900 }, []],
])('the cost of a webhook %s', (_case, now, grown) => {
  expect(findGrown(BEFORE, now)).toEqual(grown);
});

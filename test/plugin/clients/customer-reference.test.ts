import { customerIdOf, ownedBy, ownerIdsOf } from '../../../src/plugin/clients/customer-reference.ts';

const both = { customer: 'cus_1', customer_account: 'acct_1' };
const alone = { customer: null, customer_account: 'acct_1' };

describe('whose an object is', () => {
  it.each([
    [{ customer: 'cus_1' }, 'cus_1', ['cus_1']],
    [{ customer: { id: 'cus_1' }, customer_account: null }, 'cus_1', ['cus_1']],
    [both, 'cus_1', ['cus_1', 'acct_1']],
    [alone, 'acct_1', ['acct_1']],
    [{ customer: null, customer_account: null }, undefined, []],
    [{}, undefined, []],
  ])('an object with %j belongs to %s, and its owner ids are %j', (owned, id, ids) => {
    expect([customerIdOf(owned), ownerIdsOf(owned)]).toEqual([id, ids]);
  });

  it('the owner of an object is asked for by the parameter of its kind', () => {
    expect([ownedBy('cus_1'), ownedBy('acct_1')]).toEqual([
      { customer: 'cus_1' },
      { customer_account: 'acct_1' },
    ]);
  });
});

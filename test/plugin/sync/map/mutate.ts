import fc from 'fast-check';

/** Where in an object, as numbers that pick one key per level, and what to put there. */
export interface Mutation {
  picks: number[];
  action: { kind: 'delete' } | { kind: 'replace'; value: unknown };
}

export const mutations: fc.Arbitrary<Mutation[]> = fc.array(
  fc.record({
    picks: fc.array(fc.nat(60), { minLength: 1, maxLength: 7 }),
    action: fc.oneof(
      fc.constant({ kind: 'delete' as const }),
      fc.record({ kind: fc.constant('replace' as const), value: hostileValue() }),
    ),
  }),
  { minLength: 1, maxLength: 4 },
);

/** A copy with each mutation applied; typed as the original, which is the lie a hostile payload tells. */
export function mutate<T>(object: T, list: Mutation[]): T {
  const copy: T = structuredClone(object);
  for (const mutation of list) applyMutation(copy, mutation);
  return copy;
}

function applyMutation(root: unknown, { picks, action }: Mutation): void {
  let parent = root;
  for (const [depth, pick] of picks.entries()) {
    if (typeof parent !== 'object' || parent === null) return;
    const keys = Object.keys(parent);
    const key = keys[pick % keys.length];
    if (key === undefined) return;
    if (depth === picks.length - 1 && action.kind === 'delete') Reflect.deleteProperty(parent, key);
    else if (depth === picks.length - 1 && action.kind === 'replace') Reflect.set(parent, key, action.value);
    else parent = Reflect.get(parent, key);
  }
}

function hostileValue(): fc.Arbitrary<unknown> {
  return fc.oneof(
    fc.anything({ withBigInt: true, withNullPrototype: true }),
    fc.constantFrom(
      null,
      '',
      '\u0000',
      'x'.repeat(300),
      -1,
      0.5,
      2 ** 60,
      1e300,
      '1e5',
      '9'.repeat(40),
      'constructor',
    ),
    fc.constantFrom<unknown>([], {}, [null], { toString: 1, valueOf: 1 }, { id: 'cus_2' }, true),
  );
}

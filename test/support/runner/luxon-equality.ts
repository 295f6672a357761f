/** Instants are equal when they are the same moment: Luxon's objects also hold caches, which `toEqual` would compare. */
import { DateTime } from 'luxon';

declare global {
  namespace jest {
    /** Missing in the typings. */
    interface Expect {
      addEqualityTesters(testers: ((left: unknown, right: unknown) => boolean | undefined)[]): void;
    }
  }
}

expect.addEqualityTesters([
  (left, right) =>
    DateTime.isDateTime(left) && DateTime.isDateTime(right)
      ? left.toMillis() === right.toMillis()
      : undefined,
]);

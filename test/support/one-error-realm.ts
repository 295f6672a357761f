/**
 * Jest runs each test file in a realm of its own, whose `Error` does not know the errors that Node itself throws. In a
 * process there is one realm, so here `instanceof Error` holds for both.
 */
import { types } from 'node:util';

const ordinary = Function.prototype[Symbol.hasInstance];

Object.defineProperty(Error, Symbol.hasInstance, {
  value(this: unknown, candidate: unknown): boolean {
    return ordinary.call(this, candidate) || (this === Error && types.isNativeError(candidate));
  },
});

/** Reports unknown names with the known one that was probably meant. */
import { distance } from 'fastest-levenshtein';
import { InvalidRequestError } from './errors.ts';

/** The known name with the fewest differences, at most `most`, ignoring case, hyphens and underscores. */
export function findNearest(
  name: string,
  known: readonly string[],
  most = Math.ceil(name.length / 3),
): string | undefined {
  const given = plain(name);
  const near = known
    // The lengths' difference is a lower bound, so most names need no comparison.
    .filter((one) => Math.abs(plain(one).length - given.length) <= most)
    .map((one) => ({ one, differences: distance(given, plain(one)) }))
    .filter(({ differences }) => differences <= most)
    .sort((left, right) => left.differences - right.differences);
  return near[0]?.one;
}

const plain = (name: string) => name.toLowerCase().replace(/[_-]/g, '');

/** A sentence for each unknown name: `there is no option retryMod; did you mean retryMode?` */
export function describeUnknown(what: string, given: Iterable<string>, known: readonly string[]): string[] {
  return [...given]
    .filter((name) => !known.includes(name))
    .map((name) => {
      const nearest = findNearest(name, known);
      const advice = nearest === undefined ? '' : `; did you mean ${nearest}?`;
      return `there is no ${what} ${name.slice(0, LONGEST)}${advice}`;
    });
}

/** Bounds a caller's name. */
const LONGEST = 60;

/** Throws REQUEST_INVALID with all unknown fields. */
export function refuseUnknown(given: object, known: object, what = 'parameter'): void {
  const problems = describeUnknown(what, Object.keys(given), Object.keys(known));
  if (problems.length > 0) throw new InvalidRequestError(problems.join('; '));
}

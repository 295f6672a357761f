/** Names that nobody knows, with the known one that was probably meant: a typing error must not go unnoticed. */
import { distance } from 'fastest-levenshtein';
import { InvalidRequestError } from './errors.ts';

/** The known name with the fewest differences, at most `most`. Case, hyphens and underscores do not count. */
export function findNearest(
  name: string,
  known: readonly string[],
  most = Math.ceil(name.length / 3),
): string | undefined {
  const given = plain(name);
  const near = known
    // The difference of the lengths is the least that can differ, so most names need no comparison.
    .filter((one) => Math.abs(plain(one).length - given.length) <= most)
    .map((one) => ({ one, differences: distance(given, plain(one)) }))
    .filter(({ differences }) => differences <= most)
    .sort((left, right) => left.differences - right.differences);
  return near[0]?.one;
}

const plain = (name: string) => name.toLowerCase().replace(/[_-]/g, '');

/** One sentence for each given name that is not known: `there is no option retryMod; did you mean retryMode?` */
export function describeUnknown(what: string, given: Iterable<string>, known: readonly string[]): string[] {
  return [...given]
    .filter((name) => !known.includes(name))
    .map((name) => {
      const nearest = findNearest(name, known);
      const advice = nearest === undefined ? '' : `; did you mean ${nearest}?`;
      return `there is no ${what} ${name.slice(0, LONGEST)}${advice}`;
    });
}

/** A name of the caller's can be as long as a request. */
const LONGEST = 60;

/** Throws REQUEST_INVALID, which names each given field that is not known. */
export function refuseUnknown(given: object, known: object, what = 'parameter'): void {
  const problems = describeUnknown(what, Object.keys(given), Object.keys(known));
  if (problems.length > 0) throw new InvalidRequestError(problems.join('; '));
}

/**
 * The values of PostgreSQL as our code has them, from the texts that a session writes which `session-settings.ts` sets up. They are our
 * own: `pg.types` belongs to the whole process, and an application may read a timestamp as a text and an integer as a BigInt there.
 * Every type that is not named here is a text.
 */
type Parser = (text: string) => unknown;

/** Zone and style are those of the session: `2026-03-02 10:00:00.123+00`. */
const readTime: Parser = (text) => {
  const at = new Date(
    `${text.replace(' ', 'T').replace(/[+]00(:00)?$/, '')}${text.includes(':') ? 'Z' : ''}`,
  );
  return Number.isNaN(at.getTime()) ? text : at;
};

/** `bigint` too, as PGlite gives it: ours are counts and amounts below 2^53. */
const readNumber: Parser = (text) => (text === 'Infinity' || text === '-Infinity' ? text : Number(text));
const readBytes: Parser = (text) => Buffer.from(text.slice('\\x'.length), 'hex');
const readTruth: Parser = (text) => text === 't';
const readJson: Parser = (text) => JSON.parse(text);
const readText: Parser = (text) => text;

/** Parsers by the number in `pg_type`, with the number of the type's array. */
const TYPES: readonly (readonly [parser: Parser, type: number, array: number])[] = [
  [readTruth, 16, 1000],
  [readBytes, 17, 1001],
  [readNumber, 20, 1016],
  [readNumber, 21, 1005],
  [readNumber, 23, 1007],
  [readNumber, 26, 1028],
  [readNumber, 700, 1021],
  [readNumber, 701, 1022],
  [readTime, 1082, 1182],
  [readTime, 1114, 1115],
  [readTime, 1184, 1185],
  [readJson, 114, 199],
  [readJson, 3802, 3807],
  // Name, text, char, varchar, interval, numeric and uuid.
  ...[
    [19, 1003],
    [25, 1009],
    [1042, 1014],
    [1043, 1015],
    [1186, 1187],
    [1700, 1231],
    [2950, 2951],
  ].map(([type = 0, array = 0]) => [readText, type, array] as const),
];

const PARSERS: ReadonlyMap<number, Parser> = new Map(
  TYPES.flatMap(([parser, type, array]) => [
    [type, parser],
    [array, (text: string) => readArray(text, parser)],
  ]),
);

export const parserOf = (type: number): Parser => PARSERS.get(type) ?? readText;

/** An element in quotes has escapes, and one that is NULL without them is none. */
const ELEMENT = /[{]|[}]|"((?:[^"\\]|\\.)*)"|([^{},"]+)/gs;

/** `{1,NULL,"two \"words\""}`, also nested. */
function readArray(text: string, parser: Parser): unknown {
  const whole: unknown[] = [];
  const open = [whole];
  for (const [token, quoted, plain] of text.slice(text.indexOf('{')).matchAll(ELEMENT)) {
    if (token === '{') {
      const inner: unknown[] = [];
      open.at(-1)?.push(inner);
      open.push(inner);
    } else if (token === '}') open.pop();
    else if (quoted !== undefined) open.at(-1)?.push(parser(quoted.replace(/\\(.)/gs, '$1')));
    else open.at(-1)?.push(plain === 'NULL' ? null : parser(plain ?? ''));
  }
  return whole[0];
}

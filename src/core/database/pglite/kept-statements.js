// @ts-check
/**
 * Statements that the embedded database reads once and keeps under a name: PGlite itself has each read anew, described twice, and
 * asks for every step by itself, which takes twice the processor time of a short statement.
 */
import { parse, protocol } from '@electric-sql/pglite';

/** @import { ExecProtocolResult, PGlite, QueryOptions, Results } from '@electric-sql/pglite' */
/** @typedef {ExecProtocolResult['messages'][number]} BackendMessage */
/** @typedef {{ readonly types: readonly number[], readonly fields: readonly BackendMessage[] }} Description */
/** @typedef {ReturnType<typeof createKeptStatements>} KeptStatements */

const { serialize } = protocol;
const SYNC = serialize.sync();

/** @param {QueryOptions} options */
export function createKeptStatements(options) {
  /** @type {Map<string, Description>} */
  const known = new Map();

  /**
   * @param {PGlite} pglite
   * @param {string} name
   * @param {string} text
   */
  async function keep(pglite, name, text) {
    const messages = await send(pglite, [
      serialize.parse({ text, name }),
      serialize.describe({ type: 'S', name }),
    ]);
    const description = {
      types: parse.parseDescribeStatementResults(messages),
      fields: messages.filter((message) => message.name === 'rowDescription'),
    };
    known.set(name, description);
    return description;
  }

  /**
   * @param {PGlite} pglite
   * @param {string} name
   */
  async function forget(pglite, name) {
    known.delete(name);
    await send(pglite, [serialize.close({ type: 'S', name })]);
  }

  /**
   * @param {PGlite} pglite
   * @param {string} name
   * @param {string} text
   * @param {readonly unknown[]} params
   * @returns {Promise<Results<unknown>>}
   */
  async function query(pglite, name, text, params) {
    const { types, fields } = known.get(name) ?? (await keep(pglite, name, text));
    const values = params.map((value, index) => toText(pglite, value, types[index]));
    try {
      const messages = await send(pglite, [bind(name, values), serialize.execute({})]);
      const [result] = parse.parseResults([...fields, ...messages], pglite.parsers, options);
      if (!result) throw new Error('The embedded database gave no result.');
      return result;
    } catch (error) {
      if (!isChanged(error)) throw error;
      await forget(pglite, name);
      // Of a transaction the whole begins anew, where it is asked for.
      if (pglite.isInTransaction()) throw error;
      return query(pglite, name, text, params);
    }
  }

  return { query };
}

/**
 * The columns of a statement that is kept are others than they were.
 * @param {unknown} error
 */
const isChanged = (error) =>
  error instanceof Error && 'routine' in error && error.routine === 'RevalidateCachedQuery';

/**
 * What one statement is asked for, all at once. After an error the rest is passed over, up to the sync.
 * @param {PGlite} pglite
 * @param {readonly Uint8Array[]} messages
 * @returns {Promise<BackendMessage[]>}
 */
async function send(pglite, messages) {
  const answer = await pglite.execProtocol(Buffer.concat([...messages, SYNC]), { throwOnError: true });
  return answer.messages;
}

/**
 * The protocol's message with which a kept statement gets its values, as texts. PGlite's own counts their bytes one by one, which takes ten
 * times as long: a batch of webhooks is some hundred kilobytes.
 * @param {string} name
 * @param {readonly (string | null)[]} values
 */
function bind(name, values) {
  const sizes = values.map((value) => (value === null ? -1 : Buffer.byteLength(value)));
  const size = sizes.reduce((sum, one) => sum + 4 + Math.max(one, 0), 13 + name.length);
  const message = Buffer.alloc(size);
  message.write('B');
  message.writeInt32BE(size - 1, 1);
  // Portal name and both lists of formats are empty: all values are texts.
  message.write(name, 6);
  let at = message.writeInt16BE(values.length, 9 + name.length);
  for (const [index, value] of values.entries()) {
    at = message.writeInt32BE(sizes[index] ?? -1, at);
    if (value !== null) at += message.write(value, at);
  }
  return message;
}

/**
 * @param {PGlite} pglite
 * @param {unknown} value
 * @param {number} [type]
 * @returns {string | null}
 */
function toText(pglite, value, type = 0) {
  if (value === null || value === undefined) return null;
  const serializer = pglite.serializers[type];
  return serializer ? serializer(value) : String(value);
}

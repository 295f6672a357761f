// @ts-check
/**
 * The embedded database, on a thread of its own: neither a statement nor the sync of its log holds up the host's requests.
 * In JavaScript, because Node loads a thread's first module by itself, from the sources as from what is compiled.
 */
import { fstatSync, fsyncSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite, types } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { fillFolder } from './empty-database.js';
import { createFence } from './fence.js';
import { createKeptStatements } from './kept-statements.js';

/** @import { Call, ErrorParts, NumberedCall, Result, ThreadData } from './pglite-messages.ts' */
/** @import { KeptStatements } from './kept-statements.js' */
/** @import { MessagePort } from 'node:worker_threads' */

/** It would keep up to a thousand open, which the process's connections need. Beyond that it closes those used least. */
const DATABASE_FILES = 200;

/** They are taken from the process's memory at once. A table that is larger is read through the system's own cache. */
const SHARED_BUFFERS = '32MB';

/**
 * PGlite starts PostgreSQL with fsync off (`-F`), which a power cut does not survive (stripe-facts 11.1). Its WASM build
 * answers `fdatasync` without doing anything, so the log must be synced with `fsync`.
 */
const DURABLE_START_PARAMS = [
  ...PGlite.defaultStartParams.filter((param) => param !== '-F'),
  '-c',
  'fsync=on',
  '-c',
  'wal_sync_method=fsync',
  '-c',
  `max_files_per_process=${DATABASE_FILES}`,
  '-c',
  `shared_buffers=${SHARED_BUFFERS}`,
  // Segments that are kept for further use, which is as much as a checkpoint leaves behind.
  '-c',
  'min_wal_size=32MB',
  '-c',
  'max_wal_size=128MB',
];

/**
 * JSON goes over as its text: that is copied faster than what it says.
 * @type {readonly number[]}
 */
const JSON_TYPES = [types.JSON, types.JSONB];

/** Of the database, not of each statement: PGlite would put them and its own seventy together anew for every answer. */
const PARSERS = {
  [types.INT8]: Number,
  ...Object.fromEntries(JSON_TYPES.map((type) => [type, String])),
};

const OPTIONS = { rowMode: /** @type {const} */ ('array') };

/**
 * Answers calls one after the other, the opening before the first.
 * @param {MessagePort} port
 * @param {ThreadData} data
 */
export function servePglite(port, data) {
  const fence = data.lock ? createFence(data.lock) : undefined;
  const opened = open(data, fence?.check);
  const kept = createKeptStatements(OPTIONS);
  /** @type {Promise<unknown>} */
  let turn = opened.catch(() => {});
  port.on('message', (/** @type {NumberedCall} */ { id, call }) => {
    turn = turn
      .then(async () => {
        const results = await answer(await opened, kept, call);
        fence?.assertHeld();
        return results;
      })
      .then(
        (results) => port.postMessage({ id, results }),
        (error) => port.postMessage({ id, error: partsOf(error) }),
      );
  });
}

/**
 * @param {ThreadData} data
 * @param {() => void} [check]
 */
async function open({ folder, engine, isEmpty }, check = () => {}) {
  if (isEmpty) await fillFolder(folder, engine);
  return PGlite.create({
    pgliteWasmModule: engine,
    fs: new DurableNodeFS(folder, check),
    startParams: DURABLE_START_PARAMS,
    parsers: PARSERS,
  });
}

/**
 * @param {PGlite} pglite
 * @param {KeptStatements} kept
 * @param {Call} [call]
 * @returns {Promise<Result[]>}
 */
async function answer(pglite, kept, call) {
  if (!call) return pglite.close().then(() => []);
  const { text, params, name, inTransaction = false } = call;
  if (inTransaction && !pglite.isInTransaction()) await pglite.exec('begin');
  try {
    const results = params
      ? [await (name ? kept.query(pglite, name, text, params) : pglite.query(text, [...params], OPTIONS))]
      : await pglite.exec(text, OPTIONS);
    return results.map(({ fields, rows, command }) => ({
      names: fields.map(({ name }) => name),
      rows: /** @type {unknown[][]} */ (rows),
      json: fields.flatMap(({ dataTypeID }, index) => (JSON_TYPES.includes(dataTypeID) ? [index] : [])),
      command,
    }));
  } catch (error) {
    // A text of several statements may have begun a transaction before it failed (the queue sends such).
    if (!inTransaction && pglite.isInTransaction()) await pglite.exec('rollback');
    throw error;
  }
}

/**
 * PGlite adds to an error all that its statement was given. Logs must have neither events nor customers' addresses.
 * @param {unknown} error
 * @returns {ErrorParts}
 */
function partsOf(error) {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { params, queryOptions, ...parts } = /** @type {Record<string, unknown>} */ ({ ...error });
  const { name, message } = error;
  const plain = Object.entries(parts).filter(
    ([, value]) => typeof value !== 'object' && typeof value !== 'function',
  );
  return { ...Object.fromEntries(plain), name, message };
}

/**
 * PGlite's file system over Node's, whose own `fsync` is missing: here it reaches the disk. What it makes is not for
 * others: PGlite's own modes are those of a file system in memory.
 */
class DurableNodeFS extends NodeFS {
  /** @type {() => void} */
  #fence;

  /**
   * @param {string} folder
   * @param {() => void} fence Throws where nothing may be written any more.
   */
  constructor(folder, fence) {
    super(folder);
    this.#fence = fence;
  }

  /**
   * @override
   * @param {Parameters<NodeFS['init']>} args
   */
  async init(...args) {
    const { emscriptenOpts } = await super.init(...args);
    const mount = emscriptenOpts.preRun ?? [];
    return {
      emscriptenOpts: {
        ...emscriptenOpts,
        preRun: [
          ...(Array.isArray(mount) ? mount : [mount]),
          (/** @type {{ NODEFS?: unknown }} */ module) => fix(module.NODEFS, this.#fence),
        ],
      },
    };
  }
}

/**
 * @param {unknown} nodeFs
 * @param {() => void} fence
 */
function fix(nodeFs, fence) {
  if (!isNodeFs(nodeFs)) throw new Error('This PGlite has no NODEFS; commits would not be durable.');
  nodeFs.stream_ops.fsync = (stream) => {
    // Windows syncs no folders: what it says of one is in its journal.
    if (process.platform !== 'win32' || !fstatSync(stream.nfd).isDirectory()) fsyncSync(stream.nfd);
    return 0;
  };
  const { mknod } = nodeFs.node_ops;
  nodeFs.node_ops.mknod = (parent, name, mode, device) => mknod(parent, name, ownerOnly(mode), device);
  for (const operations of [nodeFs.node_ops, nodeFs.stream_ops]) {
    const { setattr } = operations;
    operations.setattr = (target, { mode, ...others }) =>
      setattr(target, typeof mode === 'number' ? { ...others, mode: ownerOnly(mode) } : others);
    for (const name of CHANGES) putBehind(fence, operations, name);
  }
}

/** The operations that change a file or a folder. */
const CHANGES = ['mknod', 'rename', 'unlink', 'rmdir', 'symlink', 'setattr', 'write', 'fsync'];

/**
 * @param {() => void} fence
 * @param {object} operations
 * @param {string} name
 */
function putBehind(fence, operations, name) {
  const change = Reflect.get(operations, name);
  if (!change) return;
  /** @param {unknown[]} args */
  const guarded = (...args) => {
    fence();
    return change(...args);
  };
  Reflect.set(operations, name, guarded);
}

/** @param {number} mode */
const ownerOnly = (mode) => mode & ~0o077;

/**
 * @typedef {{ setattr(target: unknown, attributes: { mode?: number | null }): void }} Operations
 * @typedef {{
 *   stream_ops: Operations & { fsync?: (stream: { nfd: number }) => number },
 *   node_ops: Operations & { mknod(parent: unknown, name: string, mode: number, device: unknown): unknown },
 * }} EmscriptenNodeFs
 */

/**
 * @param {unknown} value
 * @returns {value is EmscriptenNodeFs}
 */
function isNodeFs(value) {
  return typeof value === 'object' && value !== null && 'stream_ops' in value && 'node_ops' in value;
}

if (parentPort) servePglite(parentPort, workerData);

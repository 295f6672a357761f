import type { DateTime } from 'luxon';
import { z } from 'zod';
import { readOptions } from '../../../core/base/command-options.ts';
import { UsageError } from '../../../core/base/errors.ts';
import {
  changeApiKey,
  createApiKey,
  DEFAULT_GRACE_HOURS,
  graceHours,
  type KeyDeps,
  keyLimit,
  keyName,
  revokeApiKey,
  rotateApiKey,
} from '../../../service/keys/manage-api-keys.ts';
import { migrateService } from '../../../service/migrate-service.ts';
import { listApiKeys, type StoredKey } from '../../../service/store/api-keys-made.ts';
import type { CommandResult } from '../../operator/text/command-result.ts';
import { exactMoment } from '../../operator/text/exact-moment.ts';
import { recordKeyChange } from '../../store/tables/audit.ts';
import { print, type StoreCommandRow } from './store-command.ts';

const keysOptions = z.object({
  organization: z.string().optional(),
  name: keyName.optional(),
  limit: keyLimit.optional(),
  grace: graceHours.default(DEFAULT_GRACE_HOURS),
  now: z.boolean().default(false),
  json: z.boolean().default(false),
});
type KeysOptions = z.infer<typeof keysOptions>;

/** The own account's, as the embedded service calls it. */
const DEFAULT_ORGANIZATION = 'default';

/** Exit code 1 if nothing was done. A secret is printed once, by what made it. */
export const keys: StoreCommandRow = {
  group: 'Operate',
  name: 'keys [action] [id]',
  description: 'list, create, rotate or revoke API keys of the embedded service',
  options: [
    ['--organization <name>', 'the organization of the key or keys (create: default)'],
    ['--name <text>', 'who uses the key'],
    ['--limit <n>', 'requests a second (100)'],
    ['--grace <hours>', 'hours that a rotated key stays valid (24)'],
    ['--now', 'rotate: the old key ends immediately'],
    ['--json', 'print it as JSON'],
  ],
  environment: 'database',
  examples: ['keys', 'keys create --name "billing worker"', 'keys rotate key_… --now'],
  exitCodes: { 1: 'nothing was done' },
  run: async (context, args, options) => {
    const given = readOptions(keysOptions, options, ({ message }) => `--${message}`);
    const [action] = args;
    if (action !== undefined && !STEPS.has(action)) throw new UsageError([describeUnknown(action)]);
    if (action === 'create' && given.name === undefined) throw new UsageError([NAMELESS]);
    return context.withStore(async ({ database, clock }) => {
      await migrateService(database);
      const record: KeyDeps['record'] = (tx, change) =>
        recordKeyChange(tx, clock.now(), { ...change, via: 'command' });
      return print(context, await reportKeys({ database, clock, by: context.user, record }, args, given));
    });
  },
};

type Step = (deps: KeyDeps, id: string, options: KeysOptions) => Promise<CommandResult>;

const STEPS: ReadonlyMap<string, Step> = new Map<string, Step>([
  ['list', listKeys],
  ['create', createKey],
  ['rotate', rotateKey],
  ['revoke', revokeKey],
  ['change', changeKey],
]);

const describeUnknown = (action: string) =>
  `There is no "keys ${action}"; there are: ${[...STEPS.keys()].join(', ')}.`;
const NAMELESS = 'Say who uses the key: --name TEXT.';

export async function reportKeys(
  deps: KeyDeps,
  [action = 'list', id = '']: readonly string[],
  options: z.input<typeof keysOptions>,
): Promise<CommandResult> {
  const step = STEPS.get(action);
  if (!step) return fail(describeUnknown(action));
  return step(deps, id, keysOptions.parse(options));
}

async function listKeys({ database, clock }: KeyDeps, _id: string, options: KeysOptions) {
  const keys = await listApiKeys(database, options.organization);
  if (options.json) return succeed(JSON.stringify(keys, null, 2));
  if (keys.length === 0)
    return succeed('There are no API keys: the embedded service has not been started on this database.');
  return succeed(keys.map((key) => describeKey(key, clock.now())).join('\n'));
}

async function createKey(deps: KeyDeps, _id: string, options: KeysOptions): Promise<CommandResult> {
  const { organization = DEFAULT_ORGANIZATION, name, limit } = options;
  if (name === undefined) return fail(NAMELESS);
  const made = await createApiKey(deps, { organization, name, requestsPerSecond: limit ?? null });
  return made.ok ? succeed(describeSecret(made.value, options)) : fail(made.message);
}

async function rotateKey(deps: KeyDeps, id: string, options: KeysOptions): Promise<CommandResult> {
  const hours = options.now ? 0 : options.grace;
  const made = await rotateApiKey(deps, id, { hours });
  if (!made.ok) return fail(made.message);
  const old = hours === 0 ? `${id} is not good any more.` : `${id} stays good for ${hours} h.`;
  return succeed(
    options.json ? describeSecret(made.value, options) : `${describeSecret(made.value, options)}\n${old}`,
  );
}

async function revokeKey(deps: KeyDeps, id: string): Promise<CommandResult> {
  const revoked = await revokeApiKey(deps, id);
  return revoked.ok ? succeed(`${id} is revoked, from now on and in every process.`) : fail(revoked.message);
}

async function changeKey(deps: KeyDeps, id: string, { name, limit }: KeysOptions): Promise<CommandResult> {
  if (name === undefined && limit === undefined) return fail('Say what to change: --name TEXT or --limit N.');
  const changed = await changeApiKey(deps, id, { name, requestsPerSecond: limit });
  return changed.ok ? succeed(`${id} is changed.`) : fail(changed.message);
}

function describeSecret(made: { id: string; secret: string }, { json }: KeysOptions): string {
  if (json) return JSON.stringify(made, null, 2);
  return `${made.id} is made. Its secret, shown this once and stored nowhere:\n${made.secret}`;
}

function describeKey(key: StoredKey, now: DateTime): string {
  const { id, organization, name, hint, requestsPerSecond, lastUsedAt } = key;
  const named = name === '' ? '' : ` "${name}"`;
  const secret = hint === null ? '' : `, secret ends in ${hint}`;
  const limit = requestsPerSecond === null ? '' : `, ${requestsPerSecond} requests a second`;
  const used = lastUsedAt === null ? 'never used' : `last used ${exactMoment(lastUsedAt)}`;
  return `${id} of ${organization}${named}: ${describeState(key, now)}${secret}${limit}, ${used}`;
}

function describeState({ madeBy, revokedAt, expiresAt, replacedBy }: StoredKey, now: DateTime): string {
  if (madeBy === 'package') return 'made by the package from the settings';
  if (revokedAt !== null) return `revoked ${exactMoment(revokedAt)}`;
  if (expiresAt === null) return 'in use';
  const word = expiresAt > now ? 'good until' : 'ended';
  return `replaced by ${replacedBy}, ${word} ${exactMoment(expiresAt)}`;
}

function succeed(text: string): CommandResult {
  return { code: 0, text };
}

function fail(text: string): CommandResult {
  return { code: 1, text };
}

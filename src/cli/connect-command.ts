import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type Stripe from 'stripe';
import { z } from 'zod';
import { PluginError } from '../core/base/errors.ts';
import { capitalize } from '../core/base/sentence-case.ts';
import { openSdk } from '../plugin/clients/stripe-client.ts';
import { describeLocalAddress, REACHABLE_ADDRESS } from '../plugin/operator/checks/local-address.ts';
import { inspectPortal, makePortal, PORTAL_FAULTS } from '../plugin/operator/checks/portal-configuration.ts';
import {
  ENDPOINTS,
  type EndpointPlan,
  type FoundEndpoint,
  findForm,
  isToReplace,
  listPlans,
} from '../plugin/operator/checks/webhook-endpoint.ts';
import type { Write } from '../plugin/operator/text/command-result.ts';
import { loadStripeKey, loadWebhookPlace, type WebhookPlace } from '../plugin/settings/config.ts';
import type { StripeKey } from '../plugin/settings/stripe-settings.ts';
import type { EventForm } from '../plugin/store/tables/sync/event-form.ts';
import { runOnStore, systemTerminal, type Terminal } from './process/run-on-store.ts';
import { writeEnvFile, writeWhole } from './setup/env-file.ts';

const connectOptions = z.object({
  file: z.string().default('.env'),
  portal: z.boolean().default(false),
  rotate: z.boolean().default(false),
  events: z.enum(['snapshot', 'thin']).optional(),
});
type ConnectOptions = z.output<typeof connectOptions>;

export interface Site {
  readonly stripe: Stripe;
  readonly key: StripeKey;
  readonly place: WebhookPlace;
  readonly form: EventForm;
  readonly plans: readonly EndpointPlan[];
  /** Endpoints of the form that is not used. */
  readonly others: readonly EndpointPlan[];
}

/** Runs `fixConnection`, then resumes after a `disconnect`. */
export async function runConnect(given: unknown, terminal: Terminal = systemTerminal()): Promise<number> {
  await fixConnection(given, (text) => terminal.output.write(text));
  await resumeEffects(terminal);
  return 0;
}

/** Makes or fixes the webhook endpoint at Stripe, and stores its secret in the file of settings. Safe to repeat. */
export async function fixConnection(given: unknown, write: Write): Promise<void> {
  const options = connectOptions.parse(given);
  const { key, place, stripe } = openSite();
  refuseLoopback({ key, place });
  const site = openSite(options.events ?? (await findForm(stripe, place.publicUrl)));
  const { webhookSecretFile = options.file } = site.place;
  refuseReadOnly(webhookSecretFile);
  const { webhookSecrets: known } = site.place;
  const others = options.events ? await findAll(site, site.others) : [];
  // Each endpoint has its own secret, also the one that a move leaves for now.
  const mode = {
    ...options,
    isSecretKnown: known.length >= countPlans([...(await findAll(site, site.plans)), ...others]),
  };
  const secrets = [];
  for (const plan of site.plans) secrets.push(...(await connectEndpoint(site, plan, mode, write)));
  if (secrets.length > 0) {
    // The secrets of endpoints that stay.
    const kept = others.length > 0 || secrets.length < site.plans.length ? known : [];
    const secret = [...secrets, ...kept].slice(0, MOST_SECRETS).join(',');
    storeSecret(site.place, options, { secret, write });
  } else await removeOthers(site, others, write);
  await connectPortal(site, options, write);
}

const MOST_SECRETS = 4;

type Found = readonly [plan: EndpointPlan, endpoint: FoundEndpoint];

const countPlans = (found: readonly Found[]) => new Set(found.map(([plan]) => plan)).size;

async function findAll({ stripe }: Site, plans: readonly EndpointPlan[]): Promise<Found[]> {
  const found: Found[] = [];
  for (const plan of plans)
    for (const one of await ENDPOINTS[plan.form].find(stripe, plan)) found.push([plan, one]);
  return found;
}

/** Once the process runs with the new secret, by when `connect` finds nothing to make. */
async function removeOthers({ stripe, form }: Site, others: readonly Found[], write: Write): Promise<void> {
  for (const [plan, { id }] of others) {
    await ENDPOINTS[plan.form].remove(stripe, id);
    write(`${id} was removed: what it sent comes as ${form} events.\n`);
  }
}

export function openSite(form: EventForm = 'snapshot'): Site {
  const key = loadStripeKey({}, process.env);
  const place = loadWebhookPlace({}, process.env);
  const { publicUrl, hasConnectedAccounts } = place;
  const plansOf = (of: EventForm) => listPlans(publicUrl, { hasConnectedAccounts, form: of });
  const others = plansOf(form === 'thin' ? 'snapshot' : 'thin');
  return { stripe: openSdk(key.stripe), key, place, form, plans: plansOf(form), others };
}

function refuseLoopback({ key, place }: Pick<Site, 'key' | 'place'>): void {
  const local = describeLocalAddress({ ...place, ...key });
  if (local !== undefined) throw new PluginError('CONFIG_INVALID', `${local}.`, { help: REACHABLE_ADDRESS });
}

/** The secrets to store: none where the endpoint is the one of before and its secret is known. */
async function connectEndpoint(
  { stripe, place, form }: Site,
  plan: EndpointPlan,
  { rotate, isSecretKnown }: ConnectOptions & { isSecretKnown: boolean },
  write: Write,
): Promise<string[]> {
  const { find, make, mend, remove } = ENDPOINTS[form];
  const what = nameOf(plan);
  const found = await find(stripe, plan);
  const usable = found.find((one) => !isToReplace(one));
  if (usable !== undefined && isSecretKnown && !rotate) {
    if (usable.faults.length > 0) await mend(stripe, usable.id);
    write(
      `${what} ${usable.id}: ${usable.faults.length > 0 ? `repaired (${listFaults(usable)})` : 'in order'}.\n`,
    );
    return [];
  }
  const { id, secret } = await make(stripe, plan);
  write(`${what} ${id} was made for ${plan.url}.\n`);
  for (const old of found) {
    await remove(stripe, old.id);
    write(
      `  ${old.id} was removed (${describeRemoval(old, place)}); what it still had to deliver is read from Stripe's list of events.\n`,
    );
  }
  return [secret];
}

function nameOf({ form, isForConnect }: EndpointPlan): string {
  if (form === 'thin') return 'The event destination';
  return isForConnect ? "The webhook endpoint of connected accounts'" : 'The webhook endpoint';
}

function listFaults({ faults, missing }: FoundEndpoint): string {
  return faults
    .map((fault) => (fault === 'events' ? `${missing.length} events were missing` : fault))
    .join(', ');
}

function describeRemoval({ faults }: FoundEndpoint, { webhookSecrets }: WebhookPlace): string {
  if (faults.includes('accounts')) return 'it is of other accounts, which cannot be changed';
  if (faults.includes('version')) return 'its API version is another, and cannot be changed';
  return webhookSecrets.length > 0
    ? 'rotated'
    : 'its secret is not known here, and Stripe shows it only once';
}

/** One that is ours is put in order unasked. */
async function connectPortal({ stripe, place }: Site, options: ConnectOptions, write: Write): Promise<void> {
  const { fault, methods, isOurs } = await inspectPortal(stripe, place);
  if (fault === undefined) {
    write(
      `The billing portal lets customers change their card${methods ? ` (${methods.join(', ')})` : ''}.\n`,
    );
    return;
  }
  const what = capitalize(PORTAL_FAULTS[fault]);
  if (!options.portal && !isOurs) {
    write(`${what}: \`connect --portal\` makes a configuration for it.\n`);
    return;
  }
  const id = await makePortal(stripe);
  write(`${what}: ${id} does.\n`);
  if (id !== place.portalConfiguration) store(options.file, { PORTAL_CONFIGURATION: id }, write);
}

/** Checked before anything is created: Stripe shows the secret only once. */
function refuseReadOnly(file: string): void {
  const folder = dirname(resolve(file));
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new PluginError(
      'CONFIG_INVALID',
      `The secret of the webhook endpoint cannot be written to ${file}.`,
      {
        help: `Run \`connect\` where ${folder} can be written, and hand the secret on from there.`,
        cause: error,
      },
    );
  }
}

function storeSecret(
  { webhookSecretFile }: WebhookPlace,
  { file }: ConnectOptions,
  { secret, write }: { secret: string; write: Write },
): void {
  if (webhookSecretFile === undefined) {
    store(file, { STRIPE_WEBHOOK_SECRET: secret }, write);
    return;
  }
  writeWhole(webhookSecretFile, `${secret}\n`);
  write(`STRIPE_WEBHOOK_SECRET stored in ${webhookSecretFile}. Start or restart the plugin.\n`);
}

function store(file: string, values: Readonly<Record<string, string>>, write: Write): void {
  if (Object.keys(values).length === 0) return;
  const isThere = existsSync(file);
  writeEnvFile(file, values);
  const names = Object.keys(values).join(', ');
  write(`${names} stored in ${file}${isThere ? '' : ', a new file'}. Start or restart the plugin.\n`);
}

/** Charges happen again only where webhooks come in again, and at a person's wish: not with `doctor --fix`. */
async function resumeEffects(terminal: Terminal): Promise<void> {
  try {
    await runOnStore('connect', [], {}, terminal);
  } catch (error) {
    if (!(error instanceof PluginError)) throw error;
    // Without a database nothing was ever paused from here.
    if (error.code === 'NOT_FOUND') return;
    terminal.output.write(
      `Whether payments and emails are paused is unknown: ${error.message} \`status\` says it once the database can be read.\n`,
    );
  }
}

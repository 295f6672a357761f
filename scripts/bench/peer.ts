/**
 * `@supabase/stripe-sync-engine`, which keeps Stripe's objects in PostgreSQL from webhooks, as a side of the benchmark. It is
 * fetched into a temporary folder: nobody who installs this package gets it.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import Stripe from 'stripe';

const NAME = '@supabase/stripe-sync-engine';
const VERSION = '0.48.5';
const SCHEMA = 'stripe';

interface PeerModule {
  readonly StripeSync: new (config: {
    schema: string;
    stripeSecretKey: string;
    stripeWebhookSecret: string;
    stripeApiVersion: string;
    poolConfig: { connectionString: string; max: number };
  }) => { processWebhook(body: Buffer, signature: string): Promise<void> };
  runMigrations(config: { databaseUrl: string; schema: string }): Promise<void>;
}

export interface PeerPackage {
  readonly folder: string;
  remove(): void;
}

/** Undefined where the package cannot be had. */
export function fetchPeer(): PeerPackage | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'payment-retry-peer-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  try {
    const packages = [`${NAME}@${VERSION}`, `stripe@${Stripe.PACKAGE_VERSION}`];
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], {
      cwd: folder,
      stdio: 'ignore',
    });
    return { folder, remove };
  } catch {
    remove();
    return undefined;
  }
}

/** Its migrations grant rights to a role `postgres`. Its build for CommonJS is the one that loads. */
export async function openPeer(folder: string, databaseUrl: string, stripeWebhookSecret: string) {
  const { StripeSync, runMigrations }: PeerModule = createRequire(join(folder, 'package.json'))(NAME);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rowCount } = await client.query(`select from pg_roles where rolname = 'postgres'`);
  if (rowCount === 0) await client.query('create role postgres');
  await client.end();
  await runMigrations({ databaseUrl, schema: SCHEMA });
  return new StripeSync({
    schema: SCHEMA,
    stripeSecretKey: 'sk_test_bench_not_a_real_key',
    stripeWebhookSecret,
    stripeApiVersion: Stripe.API_VERSION,
    poolConfig: { connectionString: databaseUrl, max: 20 },
  });
}

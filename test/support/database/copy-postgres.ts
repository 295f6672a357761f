/** A second PostgreSQL with what a running one has. */
import { execFileSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { User } from './postgres-programs.ts';

/** As pg_basebackup does, which does not come with every installation. */
export async function copyRunning(
  url: string,
  from: string,
  { data, user }: { data: string; user: User | undefined },
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("select pg_backup_start('standby', true)");
    cpSync(from, data, { recursive: true, filter: (path) => !path.endsWith('postmaster.pid') });
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
    writeFileSync(join(data, 'backup_label'), rows[0]?.labelfile ?? '');
    writeFileSync(join(data, 'standby.signal'), '');
  } finally {
    await client.end();
  }
  if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, data]);
}

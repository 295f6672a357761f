/** A database, a role or a server that others have set up for purposes of their own. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { TLSSocket } from 'node:tls';
import { DateTime } from 'luxon';
import pg from 'pg';
import { runMigrate } from '../../../src/cli/migrate-command.ts';
import { systemClock } from '../../../src/core/base/clock.ts';
import { silentLogger } from '../../../src/core/base/logger.ts';
import type { Database, DatabaseLocation } from '../../../src/core/database/database.ts';
import { openDatabase } from '../../../src/core/database/open-database.ts';
import { ensureSchema } from '../../../src/core/database/schemas.ts';
import { createJobs } from '../../../src/core/jobs/jobs.ts';
import { migrateAll } from '../../../src/plugin/app/migrate-all.ts';
import { onPostgres, type TestLocation } from '../../support/database/databases.ts';
import { eventually } from '../../support/eventually.ts';
import { TLS_CERT, TLS_KEY } from '../../support/http/tls-files.ts';

const urlOf = (location: DatabaseLocation): string => (location.kind === 'postgres' ? location.url : '');

/** As an administrator, in a session of the server's usual settings. */
async function administer<Row extends object>(url: string, text: string, values?: unknown[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** What follows `ALTER DATABASE ... SET`, for each setting that anybody may change and that is more than speed, space or logs. */
const OTHER_VALUES = `
  select name, case
      when name = 'DateStyle' then 'SQL, DMY'
      when name = 'TimeZone' then 'Asia/Kathmandu'
      when name = 'client_encoding' then 'LATIN1'
      when name = 'search_path' then 'elsewhere'
      when name = 'synchronous_commit' then 'off'
      when name = 'extra_float_digits' then '-3'
      when name = 'timezone_abbreviations' then 'India'
      when name = 'default_text_search_config' then 'pg_catalog.german'
      when name like '%timeout' then '3600000'
      when name = 'gin_fuzzy_search_limit' then '1'
      when vartype = 'bool' then case setting when 'on' then 'off' else 'on' end
      when vartype = 'enum' then (select e from unnest(enumvals) e where e not in (setting, 'serializable') order by e = 'off' desc limit 1)
    end as value
  from pg_settings
  where context = 'user' and category !~ '^(Query Tuning|Resource|Reporting|Statistics|Vacuum|Developer|Preset|Autovacuum)'
    -- Counts as a standby, which is tested where databases go away.
    and name not in ('default_transaction_read_only', 'transaction_read_only', 'transaction_deferrable', 'transaction_isolation',
      'default_toast_compression')`;

/** Settings of others that change nothing for us, or are an administrator's to choose. */
const HARMLESS = new Set([
  // Messages and passwords.
  'client_min_messages',
  'md5_password_warnings',
  'password_encryption',
  'wal_sender_timeout',
  // Texts of functions, checks of function bodies, warnings, quoted names, XML and large objects: none is used.
  'backslash_quote',
  'check_function_bodies',
  'escape_string_warning',
  'quote_all_identifiers',
  'xmlbinary',
  'xmloption',
  'transform_null_equals',
  // Named in every use.
  'default_text_search_config',
  // Times come with offsets, never with abbreviations.
  'timezone_abbreviations',
  // Where and how rows are kept.
  'default_table_access_method',
  'default_tablespace',
  'synchronize_seqscans',
  'event_triggers',
  // Of this session's own work.
  'application_name',
  'icu_validation_level',
  'idle_in_transaction_session_timeout',
  'lock_timeout',
  'statement_timeout',
  'client_connection_check_interval',
  'tcp_keepalives_count',
  'tcp_keepalives_idle',
  'tcp_keepalives_interval',
  'tcp_user_timeout',
]);

onPostgres('a database with settings of others', ({ create }) => {
  let place: TestLocation;
  let url: string;
  let set: { name: string; value: string }[];
  beforeAll(async () => {
    place = await create();
    url = urlOf(place.location);
    set = (await administer<{ name: string; value: string | null }>(url, OTHER_VALUES)).flatMap(
      ({ name, value }) => (value === null ? [] : [{ name, value }]),
    );
    const database = pg.escapeIdentifier(new URL(url).pathname.slice(1));
    await administer(
      url,
      set
        .map(({ name, value }) => `alter database ${database} set ${name} = ${pg.escapeLiteral(value)}`)
        .join('; '),
    );
  });
  afterAll(() => place.remove());

  const within = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
    const database = await openDatabase(place.location);
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  };

  it('every setting that changes the meaning of a statement has our value in a session of ours', async () => {
    expect(set.length).toBeGreaterThan(20);
    const left = await within((database) =>
      database.query<{ name: string }>(
        `select name from pg_settings join unnest($1::text[], $2::text[]) as other (name, value) using (name)
         where source = 'database' order by 1`,
        [set.map(({ name }) => name), set.map(({ value }) => value)],
      ),
    );
    expect(left.map(({ name }) => name).filter((name) => !HARMLESS.has(name))).toEqual([]);
  });

  it('a first start there makes all tables and queues, and jobs run', async () => {
    await migrateAll(place.location);
    await within(async (database) => {
      const ran: string[] = [];
      const jobs = createJobs<{ plain: { name: string } }>({
        database,
        clock: systemClock,
        logger: silentLogger,
        schema: 'shared_jobs',
        queues: { plain: { concurrency: 1, batchSize: 5, expireSeconds: 60, retry: { retryLimit: 0 } } },
      });
      try {
        await jobs.start({ plain: { handle: async ({ name }) => void ran.push(name) } });
        await jobs.enqueue('plain', [{ data: { name: 'C:\\new "äöü" 請求' }, startAfter: DateTime.utc() }]);
        await eventually(() => expect(ran).toEqual(['C:\\new "äöü" 請求']), 20_000);
      } finally {
        await jobs.stop();
      }
    });
  });
});

describe('a server with a certificate of its own authority', () => {
  let server: Server;
  let asked: number;
  beforeAll(async () => {
    const secure = { isServer: true, cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) };
    server = createServer((socket) => {
      socket.on('error', () => {});
      // A client asks for TLS first; what it says within is not answered.
      socket.once('data', () => {
        socket.write('S');
        new TLSSocket(socket, secure)
          .on('error', () => {})
          .on('data', () => {
            asked += 1;
            socket.destroy();
          });
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  beforeEach(() => {
    asked = 0;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const open = (query: string) => {
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    return openDatabase({ kind: 'postgres', url: `postgres://merchant@localhost:${port}/shop?${query}` });
  };

  it.each(['sslmode=require', 'sslmode=verify-full'])(
    '%s alone ends with how to name the authority',
    async (query) => {
      await expect(open(query)).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        help: expect.stringContaining('sslrootcert=/path/to/ca.pem'),
      });
      expect(asked).toBe(0);
    },
  );

  it('with sslrootcert the server is trusted', async () => {
    await expect(open(`sslmode=verify-full&sslrootcert=${TLS_CERT}`)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      help: expect.not.stringContaining('sslrootcert'),
    });
    expect(asked).toBe(1);
  });
});

onPostgres('a database where the role may make nothing', ({ create }) => {
  const role = 'payment_retry_narrow_role';
  let place: TestLocation;
  let narrow: DatabaseLocation;
  beforeAll(async () => {
    place = await create();
    const url = new URL(urlOf(place.location));
    await administer(url.href, `drop role if exists ${role}`);
    await administer(url.href, `create role ${role} login`);
    url.username = role;
    narrow = { kind: 'postgres', url: url.href, schema: 'shop' };
  });
  afterAll(async () => {
    await administer(urlOf(place.location), `drop owned by ${role} cascade; drop role ${role}`);
    await place.remove();
  });

  const SQL = ['shop', 'shop_jobs', 'shop_service', 'shop_service_jobs'].map(
    (name) => `create schema ${name} authorization ${role};`,
  );

  it('a start says in one sentence what an administrator has to run, and `db migrate --dry-run` lists it', async () => {
    const start = migrateAll(narrow);
    await expect(start).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(start).rejects.toThrow(
      `DATABASE_URL: role ${role} lacks rights in this database. Let an administrator run there: ${SQL.join(' ')}`,
    );
    const said: string[] = [];
    Object.assign(process.env, { DATABASE_URL: urlOf(narrow), DATABASE_SCHEMA: 'shop' });
    try {
      expect(await runMigrate({ dryRun: true }, (text) => said.push(text))).toBe(1);
    } finally {
      Reflect.deleteProperty(process.env, 'DATABASE_URL');
      Reflect.deleteProperty(process.env, 'DATABASE_SCHEMA');
    }
    expect(said.join('').trim().split('\n').slice(1)).toEqual(SQL);
  });

  it('a start needs no right to make schemas where they are made for it', async () => {
    await administer(urlOf(place.location), SQL.join(' '));
    await migrateAll(narrow);
    await migrateAll(narrow);
    const owned = await administer<{ name: string }>(
      urlOf(place.location),
      `select distinct schemaname as name from pg_tables where tableowner = '${role}' order by 1`,
    );
    expect(owned.map(({ name }) => name)).toEqual(['shop', 'shop_jobs', 'shop_service', 'shop_service_jobs']);
  });

  it('a start names the role whose tables it may not use', async () => {
    await administer(
      urlOf(place.location),
      `create schema other; create table other.one (); grant usage, create on schema other to ${role}`,
    );
    const [owner] = await administer<{ name: string }>(
      urlOf(place.location),
      'select quote_ident(current_user) as name',
    );
    const database = await openDatabase(narrow);
    try {
      await expect(ensureSchema(database, 'other')).rejects.toThrow(`grant ${owner?.name} to ${role};`);
    } finally {
      await database.close();
    }
  });
});

onPostgres('a database in another encoding', ({ create }) => {
  it.each(['LATIN1', 'SQL_ASCII'])('%s ends the start with what to do', async (encoding) => {
    const place = await create();
    const name = `payment_retry_${encoding.toLowerCase()}`;
    try {
      await administer(urlOf(place.location), `drop database if exists ${name}`);
      await administer(
        urlOf(place.location),
        `create database ${name} encoding '${encoding}' lc_collate 'C' lc_ctype 'C' template template0`,
      );
      const url = new URL(urlOf(place.location));
      url.pathname = name;
      const opening = openDatabase({ kind: 'postgres', url: url.href });
      await expect(opening).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
      await expect(opening).rejects.toThrow(
        new RegExp(`DATABASE_URL: database ${name} is encoded in ${encoding}`),
      );
      await administer(urlOf(place.location), `drop database ${name}`);
    } finally {
      await place.remove();
    }
  });
});

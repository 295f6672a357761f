/** Connections that are ours alone: what an application sets in `pg.types` and `pg.defaults` is for its own. */
import pg from 'pg';
import { parserOf } from './type-parsers.ts';

export class OwnClient extends pg.Client {
  /** Rows as texts; without it, `pg.defaults.binary` counts. */
  readonly binary = false;
  readonly #startup: Readonly<Record<string, string>>;

  constructor(config: pg.ClientConfig = {}) {
    super(config);
    const { PGAPPNAME, PGOPTIONS } = process.env;
    const text = config.connectionString ?? '';
    const given = URL.canParse(text) ? new URL(text).searchParams : new URLSearchParams();
    const application = config.application_name ?? given.get('application_name') ?? PGAPPNAME;
    const options = given.get('options') ?? PGOPTIONS;
    this.#startup = { ...(application && { application_name: application }), ...(options && { options }) };
  }

  /** The connection's first settings; a statement sets up the session. node-postgres adds limits of `pg.defaults` on its own. */
  getStartupConf() {
    return { user: this.user, database: this.database, ...this.#startup };
  }
}

/** Replaces all of `pg.defaults` by the address, libpq's variables, or node-postgres's own values. */
export function connectionTo(url: string): pg.ClientConfig {
  const { PGSSLMODE } = process.env;
  return {
    connectionString: completeAddress(url, process.env),
    ...(PGSSLMODE === undefined && { ssl: false }),
    // A server on a busy machine takes many seconds to open twenty sessions after its start; giving up would start them again.
    connectionTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser: parserOf },
  };
}

function completeAddress(text: string, { PGUSER, PGHOST, PGPORT, PGDATABASE, ...others }: NodeJS.ProcessEnv) {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  const { searchParams } = url;
  const user = searchParams.get('user') ?? (decodeURIComponent(url.username) || PGUSER || ownName(others));
  if (user !== undefined && url.username === '') searchParams.set('user', user);
  if (url.hostname === '' && !searchParams.has('host')) searchParams.set('host', PGHOST || 'localhost');
  if (url.port === '' && !searchParams.has('port')) searchParams.set('port', PGPORT || '5432');
  if (url.pathname.length < 2) url.pathname = `/${encodeURIComponent(PGDATABASE || user || '')}`;
  return url.href;
}

const ownName = ({ USER, USERNAME }: NodeJS.ProcessEnv) => (process.platform === 'win32' ? USERNAME : USER);

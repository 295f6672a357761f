/** Where the data is. */
import { integer, part, text } from './setting-kinds.ts';

export const DATABASE_SETTINGS = {
  DATABASE_URL: part(
    '`postgres://…`; without it the embedded database is used.',
    text()
      .regex(/^postgres(ql)?:\/\//, 'must start with postgres://')
      .optional(),
    { place: 'database.url', shown: 'address' },
  ),
  DATABASE_SCHEMA: part(
    'Prefix of the names of our schemas in `DATABASE_URL`: `acme` gives `acme`, `acme_jobs`, `acme_service` and `acme_service_jobs`. Two installations in one database need two prefixes; another prefix later is an empty installation.',
    text()
      .regex(
        /^(?!(pg_|public$|information_schema$))[a-z][a-z0-9_]{0,40}(?<!_(jobs|service|move))$/,
        'must be a name of at most 41 small letters, digits and _, and no name of PostgreSQL or of a part (…_jobs, …_service, …_move)',
      )
      .default('payment_retry'),
    { place: 'database.schema', shown: 'open', isAdvanced: true },
  ),
  DATABASE_CONNECTIONS: part(
    'The most connections to `DATABASE_URL` that a process opens for its work; it needs one more.',
    integer(5, 200).default(20),
    { place: 'database.connections', isAdvanced: true },
  ),
  DATA_DIR: part('Folder of the embedded database.', text().default('./data'), {
    place: 'database.directory',
    shown: 'open',
  }),
} as const;

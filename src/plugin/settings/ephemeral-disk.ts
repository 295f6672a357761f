/** Platforms that give each new process an empty disk: an embedded database there is lost with every deployment. */
import type { Logger } from '../../core/base/logger.ts';
import type { DatabaseLocation } from '../../core/database/database.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Each is known by a variable that it sets. `volume`: set where a disk is mounted that stays, to its folder. */
const PLATFORMS: readonly { readonly name: string; readonly sets: string; readonly volume?: string }[] = [
  { name: 'Heroku', sets: 'DYNO' },
  { name: 'Cloud Run', sets: 'K_SERVICE' },
  { name: 'Railway', sets: 'RAILWAY_ENVIRONMENT_ID', volume: 'RAILWAY_VOLUME_MOUNT_PATH' },
];

export function warnOfEphemeralDisk(
  database: DatabaseLocation,
  environment: Environment,
  logger: Pick<Logger, 'warn'>,
): void {
  const platform = PLATFORMS.find(
    ({ sets, volume }) => environment[sets] && !(volume !== undefined && environment[volume]),
  );
  if (database.kind !== 'embedded' || platform === undefined) return;
  const { name } = platform;
  logger.warn(
    { directory: database.directory, platform: name },
    `the database is a folder (DATA_DIR), and ${name} empties the disk with each deployment and restart: set DATABASE_URL to a PostgreSQL database`,
  );
}

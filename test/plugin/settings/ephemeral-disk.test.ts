import { warnOfEphemeralDisk } from '../../../src/plugin/settings/ephemeral-disk.ts';
import { captureLog } from '../../support/log-lines.ts';

const FOLDER = { kind: 'embedded', directory: './data' } as const;

test.each([
  ['Heroku', { DYNO: 'web.1' }],
  ['Cloud Run', { K_SERVICE: 'shop' }],
  ['Railway', { RAILWAY_ENVIRONMENT_ID: 'e1' }],
])('a folder on the disk of %s is warned of, a PostgreSQL is not', (name, environment) => {
  const { logger, lines } = captureLog();
  warnOfEphemeralDisk({ kind: 'postgres', url: 'postgres://db.example/shop' }, environment, logger);
  expect(lines).toEqual([]);
  warnOfEphemeralDisk(FOLDER, environment, logger);
  expect(lines).toEqual([expect.stringMatching(`${name} empties the disk.*set DATABASE_URL`)]);
});

test('a disk that stays is not warned of', () => {
  const { logger, lines } = captureLog();
  warnOfEphemeralDisk(FOLDER, {}, logger);
  warnOfEphemeralDisk(FOLDER, { RAILWAY_ENVIRONMENT_ID: 'e1', RAILWAY_VOLUME_MOUNT_PATH: '/data' }, logger);
  expect(lines).toEqual([]);
});

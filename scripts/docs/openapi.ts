/** Writes both OpenAPI documents into the folder that is given, for the programs that check such documents in CI. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeOperatorApi } from '../../src/operator/api/describe-operator-api.ts';
import { describeApi } from '../../src/service/http/openapi/describe-api.ts';

const [folder = 'previews/openapi'] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const documents = {
  service: describeApi({ requestsPerSecond: 100, concurrentRequests: 5 }),
  operator: describeOperatorApi(),
};
for (const [name, document] of Object.entries(documents))
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(document, undefined, 2));

/** Copies what tsc leaves behind (SQL migrations) into dist, on any operating system. */
import { cpSync } from 'node:fs';

for (const folder of ['store/migrations', 'service/migrations']) {
  cpSync(`src/${folder}`, `dist/${folder}`, { recursive: true });
}

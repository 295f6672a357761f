/** Writes docs/reference/mapping.md. A test compares the page with the mapper. */
import { writeFileSync } from 'node:fs';
import { renderMapping } from './render-mapping.ts';

writeFileSync(new URL('../../docs/reference/mapping.md', import.meta.url), renderMapping());

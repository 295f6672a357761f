/** Writes docs/reference/declines.md. A test compares the page with the tables. */
import { writeFileSync } from 'node:fs';
import { renderDeclines } from './render-declines.ts';

writeFileSync(new URL('../../docs/reference/declines.md', import.meta.url), renderDeclines());

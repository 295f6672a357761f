/** Writes the table of metrics in docs/how-to/monitoring.md anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { renderMetrics, replaceMetrics } from './render-metrics.ts';

const page = new URL('../../docs/how-to/monitoring.md', import.meta.url);
writeFileSync(page, replaceMetrics(readFileSync(page, 'utf8'), renderMetrics()));

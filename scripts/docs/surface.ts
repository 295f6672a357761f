/** Writes the list of the public surface. */
import { existsSync, writeFileSync } from 'node:fs';
import { readSurface, renderSurface, SURFACE_FILE } from './render-surface.ts';

writeFileSync(SURFACE_FILE, await renderSurface(existsSync(SURFACE_FILE) ? readSurface() : {}));

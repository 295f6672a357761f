/** Writes what `npx stripe-payment-retry app` fills in: the manifest of a private app, and of one for the marketplace. */
import { writeFileSync } from 'node:fs';
import { EXAMPLE, renderManifest } from './render-app-manifest.ts';

writeFileSync('manifest/stripe-app.json', renderManifest(EXAMPLE));
writeFileSync('manifest/stripe-app.public.json', renderManifest({ ...EXAMPLE, distribution: 'public' }));

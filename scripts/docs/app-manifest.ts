/** Writes the manifests of both apps, which `npx stripe-payment-retry app` fills in, and the types of the views' answers. */
import { writeFileSync } from 'node:fs';
import { renderAnswerTypes, VIEW_TYPES } from './render-answer-types.ts';
import { renderKeyManifest, renderPrivateManifest } from './render-app-manifest.ts';

writeFileSync('manifest/private/stripe-app.json', renderPrivateManifest());
writeFileSync('manifest/restricted-key/stripe-app.json', renderKeyManifest());
writeFileSync(VIEW_TYPES, renderAnswerTypes());

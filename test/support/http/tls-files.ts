import { fileURLToPath } from 'node:url';

/** A certificate for `localhost` and its key, of the tests alone. */
export const TLS_CERT = fileURLToPath(new URL('../../fixtures/tls/cert.pem', import.meta.url));
export const TLS_KEY = fileURLToPath(new URL('../../fixtures/tls/key.pem', import.meta.url));

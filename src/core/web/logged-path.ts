/** What a log may hold of an address. That of a card-update page is a way in: whoever reads it there could use it. */

/** Every word of our own paths, the plugin's and the embedded service's. */
const WORDS: ReadonlySet<string> = new Set([
  ...['webhooks', 'stripe', 'recovery_action', 'accounts', 'card-update', 'healthz', 'readyz', 'metrics'],
  ...['console', 'login', 'logout', 'openid', 'openid-callback', 'timing', 'invoices'],
  ...['app', 'request', 'pause_collection', 'capabilities'],
  ...['api', 'status', 'failing_invoices', 'operations', 'check'],
  ...['ingest', 'v1', 'subscriptions', 'transactions', 'recovery_actions', 'recovery_cases'],
  ...['forgotten_customers'],
  ...['openapi.json'],
]);
/** Stripe's ids of accounts and invoices open nothing. */
const ID = /^(acct|in)_[A-Za-z0-9]{1,64}$/;

const MAX_LENGTH = 200;

/**
 * The path with `*` for every part that is neither a word of ours nor an id: a link that was altered, or misdirected, still
 * holds its token.
 */
export function describePath(path: string): string {
  return path.split('/').map(describePart).join('/').slice(0, MAX_LENGTH);
}

function describePart(part: string): string {
  const word = part.toLowerCase();
  if (part === '' || WORDS.has(word)) return word;
  return ID.test(part) ? part : '*';
}

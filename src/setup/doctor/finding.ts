/** One thing that `doctor` looked at, as a code with parameters; its sentences are in `describe-finding.ts`. */

/**
 * `ok` · `warning` it works, and something should be known · `problem` it does not work · `unknown` it could not be looked at ·
 * `look` only a person can see it.
 */
export type FindingState = 'ok' | 'warning' | 'problem' | 'unknown' | 'look';

export type FindingCode =
  | 'settings'
  | 'stripe_key'
  | 'stripe_permission'
  | 'stripe_clock'
  | 'stripe_settings'
  | 'webhook_endpoint'
  | 'portal'
  | 'public_address'
  | 'webhook_round_trip'
  | 'callback_round_trip'
  | 'queues'
  | 'retry_service'
  | 'mail_server'
  | 'mail_domain'
  | 'own_mails';

export interface Finding {
  readonly code: FindingCode;
  readonly state: FindingState;
  /** Which of several, such as a permission; what was seen. */
  readonly detail: string;
  readonly fix?: 'connect' | 'portal';
}

export function finding(code: FindingCode, state: FindingState, detail = '', fix?: Finding['fix']): Finding {
  return { code, state, detail, ...(fix ? { fix } : {}) };
}

export function messageOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return error instanceof Error ? `${error.message}${cause}` : String(error);
}

/** One thing that was looked at, as a code with what was seen; its sentences are in `operator/checks/describe-finding.ts`. */

/**
 * `ok` · `waiting` it comes by itself · `warning` it works, and something should be known · `problem` it does not work · `unknown` it could not be looked at ·
 * `look` only a person can see it.
 */
export const FINDING_STATES = ['ok', 'waiting', 'warning', 'problem', 'unknown', 'look'] as const;
export type FindingState = (typeof FINDING_STATES)[number];

export type FindingCode =
  | 'settings'
  | 'settings_file'
  | 'stripe_key'
  | 'stripe_permission'
  | 'stripe_clock'
  | 'stripe_settings'
  | 'webhook_endpoint'
  | 'portal'
  | 'public_address'
  | 'webhook_round_trip'
  | 'callback_round_trip'
  | 'app_round_trip'
  | 'app_folder'
  | 'database'
  | 'database_link'
  | 'migrations'
  | 'queues'
  | 'observe_mode'
  | 'effects'
  | 'stripe_access'
  | 'retry_signal'
  | 'events'
  | 'backfill'
  | 'callbacks'
  | 'account_credentials'
  | 'retry_service'
  | 'mail_server'
  | 'mail_domain'
  | 'mail_replies'
  | 'own_mails';

/** What `doctor --fix` fixes: nothing that charges, mails or forgets. */
export type Fix = 'connect' | 'portal' | 'migrate' | 'file_mode';

export interface Finding {
  readonly code: FindingCode;
  readonly state: FindingState;
  /** Which of several, such as a permission; what was seen. */
  readonly detail: string;
  readonly fix?: Fix;
}

export function finding(code: FindingCode, state: FindingState, detail = '', fix?: Finding['fix']): Finding {
  return { code, state, detail, ...(fix ? { fix } : {}) };
}

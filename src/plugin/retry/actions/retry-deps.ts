import type { Clock } from '../../../core/base/clock.ts';
import type { Logger } from '../../../core/base/logger.ts';
import type { Capability } from '../../../core/contract/capabilities.ts';
import type { Database } from '../../../core/database/database.ts';
import type { Enqueue } from '../../../core/jobs/enqueue.ts';
import type { Mailer } from '../../clients/mailer.ts';
import type { StripeClient } from '../../clients/stripe-client.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import type { WriteMail } from '../../mails/mail-writer.ts';
import type { Config } from '../../settings/config.ts';

export interface RetryDeps {
  readonly config: Pick<
    Config,
    | 'mode'
    | 'retrySignal'
    | 'scope'
    | 'experiment'
    | 'ceilings'
    | 'forward'
    | 'attemptLimits'
    | 'handbackAfterDays'
    | 'afterGivingUp'
    | 'afterCancelRequest'
    | 'recoverSignUps'
    | 'backupMethods'
    | 'offerPause'
    | 'cardExpiryMailDays'
    | 'updateSubscriptionCard'
    | 'service'
    | 'timeZone'
    | 'emailWindow'
    | 'reminderDays'
    | 'firstEmailWithinDays'
    | 'returnUrl'
    | 'emailLook'
    | 'linkSecret'
    | 'publicUrl'
  >;
  readonly database: Database;
  readonly stripe: StripeClient;
  /** Absent when nothing sends mails. */
  readonly mailer: Mailer | undefined;
  readonly writeMail: WriteMail;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly enqueue: Enqueue<PluginQueues>;
  /** Whether the account's service says that it can. */
  readonly serviceCan: (account: string, capability: Capability) => Promise<boolean>;
  /** The same from its last answer alone, for work that must not wait for it; undefined without one. */
  readonly serviceKnows: (account: string, capability: Capability) => boolean | undefined;
  /** The number of this process, for its claims. */
  readonly processId: () => number | undefined;
  /** As customers know it: of the account for which the invoice is made out, where that is another one. */
  readonly merchantName: (account: string, onBehalfOf?: string) => Promise<string>;
  /** The colour in the account's branding, as Stripe gives it; undefined if there is none or the key may not read it. */
  readonly brandColor: (account: string) => Promise<string | undefined>;
}

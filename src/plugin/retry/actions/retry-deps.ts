import type { Capability } from '../../../core/contract/capabilities.ts';
import type { ListRecipients, Mailer } from '../../clients/mailer.ts';
import type { StripeClient } from '../../clients/stripe-client.ts';
import type { PluginDeps } from '../../jobs/queues.ts';
import type { WriteEmail } from '../../mails/email-writer.ts';
import type { Config } from '../../settings/config.ts';

export interface RetryDeps extends PluginDeps {
  readonly config: Config;
  readonly stripe: StripeClient;
  /** Absent if nothing sends emails. */
  readonly mailer: Mailer | undefined;
  readonly writeEmail: WriteEmail;
  readonly listRecipients?: ListRecipients | undefined;
  /** Asks the account's service whether it has a capability. */
  readonly serviceCan: (account: string, capability: Capability) => Promise<boolean>;
  /** Same by its last answer, for work that must not wait; undefined without one. */
  readonly serviceKnows: (account: string, capability: Capability) => boolean | undefined;
  /** Number of this process, for its claims. */
  readonly processId: () => number | undefined;
  /** Name known to customers: of the account for which the invoice is made out, if another. */
  readonly merchantName: (account: string, onBehalfOf?: string) => Promise<string>;
  /** Branding colour as Stripe has it; undefined without one or without access. */
  readonly brandColor: (account: string) => Promise<string | undefined>;
}

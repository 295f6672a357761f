/** What an application has of the plugin: it mounts `router` and calls `start`. */
import type { PluginError } from '../../core/base/errors.ts';
import type { GivenLogger } from '../../core/base/given-logger.ts';
import type { ListRecipients, SendEmail } from '../clients/mailer.ts';
import type { RenderEmail } from '../mails/email-writer.ts';
import type { HostEvents, HostHandler, HostHandlers } from '../operator/host-events/host-event.ts';
import type { PluginSettings } from '../settings/schema/plugin-settings.ts';
import type { ShownSetting } from '../settings/schema/shown-settings.ts';
import type { Health } from './health.ts';
import type { HostApi } from './host-api.ts';
import type { HostRouter } from './host-router.ts';
import type { StartOptions } from './plugin-life.ts';

/** What only an application can give, by the names that it has inside. */
export interface HostOptions {
  readonly logger?: GivenLogger | undefined;
  readonly on?: HostHandlers | undefined;
  readonly sendEmail?: SendEmail | undefined;
  readonly renderEmail?: RenderEmail | undefined;
  readonly listRecipients?: ListRecipients | undefined;
  readonly onFailure?: ((error: PluginError) => void) | undefined;
}

/** Settings of email, and functions that send or word it. */
export interface EmailOptions extends NonNullable<PluginSettings['email']> {
  /** Sends the emails, instead of the server at `smtpUrl`; `links.secret` is required with it. */
  readonly send?: SendEmail | undefined;
  /** Your own words for an email, instead of ours or those of `templates`. */
  readonly render?: RenderEmail | undefined;
  /** More addresses that get each email, such as accounts payable; instead of `billing_emails` in the customer's metadata. */
  readonly recipients?: ListRecipients | undefined;
}

/** Options alone count; `settingsFromEnv(process.env)` gives those of an environment. */
export interface PluginOptions extends PluginSettings {
  readonly email?: EmailOptions;
  /** Where log lines go: pino, winston, `console`, or a function that takes level, message and fields. By default JSON lines on standard output. */
  readonly logger?: GivenLogger | undefined;
  /** Handlers of events, called at least once; one that throws, or takes longer than a minute, is called again later. */
  readonly on?: HostHandlers | undefined;
  /**
   * Called when the embedded database reported damage: the plugin has stopped, and answers 503. `start` reopens the database,
   * which repairs the traces of a crash; so does a new process. Without this handler only the log reports it.
   */
  readonly onFailure?: ((error: PluginError) => void) | undefined;
}

/** What `createPlugin` returns. It does nothing before `start`. */
export interface Plugin extends HostApi {
  /**
   * Mount it under a prefix, which PUBLIC_URL ends with, and before any body parser: signatures are checked on the untouched
   * body. Requests for other paths than the plugin's pass untouched. While the plugin is stopped, its own are answered with 503.
   */
  readonly router: HostRouter;
  /**
   * The same for a host that has the platform's `Request`: a route handler of Next.js, Hono, Bun. It answers below the path of
   * PUBLIC_URL, 404 for paths that are not its own. Who asks, and whether by HTTPS, is what `X-Forwarded-For` and
   * `X-Forwarded-Proto` say, which your server or a proxy has to set; without them the address of the request counts.
   */
  fetch(request: Request): Promise<Response>;
  /** Each setting, where it comes from and its value; no secret is among the values. */
  readonly settings: readonly ShownSetting[];
  /** What a log has of it: the settings. */
  toJSON(): object;
  /**
   * Opens the database, brings it up to date and starts to work; resolves when it works. While the database is away it keeps trying:
   * the plugin's paths answer 503, `health()` says why, the log once a minute. So let your server listen first. Rejects with a
   * PluginError that says what to do if waiting does not help (`CONFIG_INVALID`, `STORE_DAMAGED`, `DATABASE_TOO_OLD`), and with
   * `{ wait: false }` immediately (`STORE_UNAVAILABLE`, `DATA_DIR_LOCKED`, `LISTEN_FAILED` as well); nothing is left running then.
   */
  start(options?: StartOptions): Promise<void>;
  /** Adds a handler of an event, like the option `on`; call it before `start`, which decides which events are kept for handlers. */
  on<Type extends keyof HostEvents>(type: Type, handler: HostHandler<Type>): void;
  /** Whether it works, for your own health check. Never rejects. */
  health(): Promise<Health>;
  /** Finishes running work and closes everything; `start` may be called again. */
  stop(): Promise<void>;
  /** Does everything that is due now, and returns how many jobs that was. Throws unless started. */
  runOnce(): Promise<number>;
  /** When the next job falls due, if any waits; ISO 8601 in UTC. */
  nextDueAt(): Promise<string | undefined>;
}

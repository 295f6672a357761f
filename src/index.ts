export {
  ConfigError,
  ERROR_CODES,
  type ErrorCode,
  InvalidRequestError,
  PluginError,
  SignatureError,
  StoreUnavailableError,
  UnauthorizedError,
  UpstreamError,
} from './core/base/errors.ts';
export type { GivenLogger, LogLine } from './core/base/given-logger.ts';
export type { Logger } from './core/base/logger.ts';
export type { Health, Ready } from './plugin/app/health.ts';
export type { AskedBy, HostApi, RetryResult } from './plugin/app/host-api.ts';
export type { HostRouter } from './plugin/app/host-router.ts';
export { createPlugin } from './plugin/app/own-plugin.ts';
export type { EmailOptions, Plugin, PluginOptions } from './plugin/app/plugin.ts';
export type { StartOptions } from './plugin/app/plugin-life.ts';
export { type AccessGateOptions, requireAccess } from './plugin/app/require-access.ts';
export type { ListRecipients, OutgoingMail, SendEmail } from './plugin/clients/mailer.ts';
export type { EmailWords, MailToRender, RenderEmail } from './plugin/mails/email-writer.ts';
export type { HostEvent, HostEvents, HostHandlers } from './plugin/operator/host-events/host-event.ts';
export type { Access } from './plugin/operator/lists/access.ts';
export type { CustomerState } from './plugin/operator/lists/customer-state.ts';
export type { Reason } from './plugin/reasons/reason.ts';
export { settingsFromEnv } from './plugin/settings/options.ts';
export type { PluginSettings } from './plugin/settings/schema/plugin-settings.ts';
export type { RetryMode } from './plugin/settings/schema/retry-mode.ts';
export type { ShownSetting } from './plugin/settings/schema/shown-settings.ts';

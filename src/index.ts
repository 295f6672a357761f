export type { OutgoingMail, SendMail } from './clients/mailer.ts';
export { type Config, loadConfig, type RetryMode } from './config/config.ts';
export type { PluginSettings } from './config/schema/plugin-settings.ts';
export type { MailToRender, MailWords, RenderMail } from './email/mail-writer.ts';
export { type Clock, createSimulatedClock, type SimulatedClock, systemClock } from './kit/clock.ts';
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
} from './kit/errors.ts';
export type { Logger } from './kit/logger.ts';
export type { CustomerState } from './operator/lists/customer-state.ts';
export type { HostEvent, HostEvents, HostHandlers } from './plugin/events/host-event.ts';
export type { Health, Ready } from './plugin/health.ts';
export type { AskedBy, HostApi } from './plugin/host-api.ts';
export { createPlugin, type Plugin, type PluginOptions } from './plugin/plugin.ts';

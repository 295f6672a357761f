export type { OutgoingMail } from './clients/mailer.ts';
export type { HostEvent, HostEvents } from './plugin/events/host-event.ts';
export type { Sandbox } from './sandbox/stripe/sandbox.ts';
export {
  createTestWorld,
  type FailedRenewal,
  type FailingRenewal,
  type Span,
  type TestWorld,
  type TestWorldOptions,
} from './sandbox/testing/test-world.ts';

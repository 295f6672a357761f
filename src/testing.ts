export type { OutgoingMail } from './plugin/clients/mailer.ts';
export type { HostEvent, HostEvents } from './plugin/operator/host-events/host-event.ts';
export type { FailingRenewal, Span, TestCard, TestWorldOptions } from './workbench/testing/test-inputs.ts';
export type { StripeObject, StripeObjects, TestSandbox } from './workbench/testing/test-sandbox.ts';
export {
  createTestWorld,
  type FailedRenewal,
  type TestWorld,
} from './workbench/testing/test-world.ts';

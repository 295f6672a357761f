/** Every request of the views, by name. */
import { z } from 'zod';
import { CHANGES } from './change.ts';
import { type DefinedRequest, defineRequest, stripeId } from './define-request.ts';
import { answerCustomer, answerSubscription } from './read/customer-answer.ts';
import { answerInvoice } from './read/invoice-answer.ts';
import { answerOverview } from './read/overview-answer.ts';
import { answerOnboarding, answerSettings } from './read/settings-answer.ts';

const one = z.object({ id: stripeId });
const none = z.object({});

export const REQUESTS: ReadonlyMap<string, DefinedRequest> = new Map([
  ['invoice', defineRequest(one, answerInvoice)],
  ['subscription', defineRequest(one, answerSubscription)],
  ['customer', defineRequest(one, answerCustomer)],
  ['overview', defineRequest(none, answerOverview(10))],
  ['worklist', defineRequest(none, answerOverview(100))],
  ['settings', defineRequest(none, answerSettings)],
  ['onboarding', defineRequest(none, answerOnboarding)],
  ...CHANGES,
]);

/** Every request of the views, by name. */
import { z } from 'zod';
import { CHANGES } from './change.ts';
import { type DefinedRequest, defineRequest, stripeId } from './define-request.ts';
import { answerCustomer, answerSubscription } from './read/customer-answer.ts';
import { answerInvoice, answerPayment } from './read/invoice-answer.ts';
import { answerOverview, answerWorkList } from './read/overview-answer.ts';
import { answerOnboarding, answerSettings } from './read/settings-answer.ts';

const one = z.object({ id: stripeId });
const none = z.object({});

export const REQUESTS: ReadonlyMap<string, DefinedRequest> = new Map([
  ['invoice', defineRequest(one, answerInvoice)],
  ['payment', defineRequest(one, answerPayment)],
  ['subscription', defineRequest(one, answerSubscription)],
  ['customer', defineRequest(one, answerCustomer)],
  ['overview', defineRequest(none, answerOverview)],
  ['worklist', defineRequest(none, answerWorkList)],
  ['settings', defineRequest(none, answerSettings)],
  ['onboarding', defineRequest(none, answerOnboarding)],
  ...CHANGES,
]);

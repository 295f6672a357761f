/** Every request of the views, by name. */
import { z } from 'zod';
import { type DefinedRequest, defineRequest, stripeId } from './define-request.ts';
import { answerInvoice } from './read/invoice-answer.ts';

export const REQUESTS: ReadonlyMap<string, DefinedRequest> = new Map([
  ['invoice', defineRequest(z.object({ id: stripeId }), answerInvoice)],
]);

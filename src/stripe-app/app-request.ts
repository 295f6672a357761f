/** What the app's views send: one flat object, all of it signed by Stripe for the user who is signed in (stripe-facts 7.5). */
import { z } from 'zod';
import type { StripeClient } from '../clients/stripe-client.ts';
import { describeIssue } from '../contract/contract.ts';
import { InvalidRequestError, SignatureError } from '../errors.ts';

const word = z.string().regex(/^[!-~]{1,255}$/, 'must be 1 to 255 printable characters');

/** Another field, a missing one or one of another type is refused. */
const appRequest = z.strictObject({
  request: word,
  mode: z.enum(['live', 'test']),
  /** JSON, because only flat values are signed. */
  parameters: z.string().max(20_000),
  nonce: z.uuid(),
  /** Stripe signs only those that the user has. */
  stripe_roles: z.array(
    z.object({ id: z.string().optional(), name: z.string().optional(), type: z.enum(['builtIn', 'custom']) }),
  ),
  user_id: word,
  account_id: z.string().regex(/^acct_[A-Za-z0-9]{1,64}$/),
});
export type AppRequest = Readonly<z.output<typeof appRequest>>;

export interface SignatureCheck {
  readonly stripe: Pick<StripeClient, 'isSignedByApp'>;
  readonly secrets: readonly string[];
  readonly nowMs: number;
}

/** The signature is over the text of the body, so nothing in it can be added, left out or moved. */
export function readSignedRequest(
  { stripe, secrets, nowMs }: SignatureCheck,
  body: Buffer,
  signature: string | undefined,
): AppRequest {
  if (signature === undefined) throw new SignatureError('The request has no Stripe-Signature header.');
  if (!stripe.isSignedByApp(body, signature, secrets, nowMs)) {
    throw new SignatureError(
      'The signature does not fit the body and any secret of the app, or it is too old.',
      {
        help: "Compare STRIPE_APP_SECRET with the signing secret on the app's page in the Stripe Dashboard.",
      },
    );
  }
  const parsed = appRequest.safeParse(parseJson(body.toString('utf8')));
  if (!parsed.success)
    throw new InvalidRequestError(`The request does not fit: ${describeIssue(parsed.error)}`);
  return parsed.data;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidRequestError('The request is not JSON.');
  }
}

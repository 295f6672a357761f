/**
 * A request of the app's views: a text that Stripe signed for the signed-in user, and the parameters whose digest that text
 * contains. Stripe is given the text in an address, so no parameter may be in it (stripe-facts 7.5).
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { InvalidRequestError, SignatureError } from '../../../core/base/errors.ts';
import { tryJson } from '../../../core/base/try-json.ts';
import { describeIssue } from '../../../core/contract/contract.ts';
import type { Shown } from '../../../core/web/guess-limit.ts';
import { isSameSecret } from '../../../core/web/same-secret.ts';
import type { StripeClient } from '../../clients/stripe-client.ts';

const word = z.string().regex(/^[!-~]{1,255}$/, 'must be 1 to 255 printable characters');

const appBody = z.strictObject({
  /** The signed text, unchanged. */
  signed: z.string(),
  /** JSON. */
  parameters: z.string().max(20_000),
});

/** Another field, a missing one or one of another type is refused. */
const signedRequest = z.strictObject({
  request: word,
  mode: z.enum(['live', 'test']),
  /** The digest of the parameters' text, in hexadecimal digits. */
  parameters_sha256: z.string(),
  nonce: z.uuid(),
  /** Stripe signs only those that the user has. */
  stripe_roles: z.array(
    z.object({ id: z.string().optional(), name: z.string().optional(), type: z.enum(['builtIn', 'custom']) }),
  ),
  user_id: word,
  account_id: z.string().regex(/^acct_[A-Za-z0-9]{1,64}$/),
});
export type AppRequest = Readonly<z.output<typeof signedRequest> & { parameters: string }>;

export interface SignatureCheck {
  readonly stripe: Pick<StripeClient, 'isSignedByApp'>;
  readonly secrets: readonly string[];
  readonly nowMs: number;
  /** Throws where an address has shown too many that do not fit. */
  readonly limitGuesses: (shown: Shown) => Promise<void>;
}

/** Nothing can be added, left out or moved: the signature is over the one text, and that has the digest of the other. */
export async function readSignedRequest(
  { stripe, secrets, nowMs, limitGuesses }: SignatureCheck,
  body: Buffer,
  signature: string | undefined,
): Promise<AppRequest> {
  if (signature === undefined) throw new SignatureError('The request has no Stripe-Signature header.');
  const sent = appBody.safeParse(parseJson(body.toString('utf8')));
  if (!sent.success) throw new InvalidRequestError('The body must be what was signed, and the parameters.');
  const { signed, parameters } = sent.data;
  const isRight = stripe.isSignedByApp(Buffer.from(signed), signature, secrets, nowMs);
  const refusal = new SignatureError('The signature does not fit any secret of the app, or it is too old.', {
    help: "Compare STRIPE_APP_SECRET with the signing secret on the app's page in the Stripe Dashboard.",
  });
  // Each signature is another one: what came before is one that fits.
  await limitGuesses({ credential: 'signature', isRight, refusal });
  const parsed = signedRequest.safeParse(parseJson(signed));
  if (!parsed.success)
    throw new InvalidRequestError(`The request does not fit: ${describeIssue(parsed.error)}`);
  const digest = createHash('sha256').update(parameters).digest('hex');
  if (!isSameSecret(parsed.data.parameters_sha256, digest))
    throw new SignatureError('The parameters are not those whose digest was signed.');
  return { ...parsed.data, parameters };
}

export function parseJson(text: string): unknown {
  const parsed = tryJson(text);
  if (parsed === undefined) throw new InvalidRequestError('The request is not JSON.');
  return parsed;
}

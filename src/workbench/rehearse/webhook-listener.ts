/** Listens at the plugin's address and keeps the rehearsal's events. Others get 503, so that Stripe sends them to the plugin again. */
import express from 'express';
import type Stripe from 'stripe';
import type { Clock } from '../../core/base/clock.ts';
import { silentLogger } from '../../core/base/logger.ts';
import { closeServer, createTransport, listen } from '../../core/web/http-server.ts';
import { openSdk } from '../../plugin/clients/stripe-client.ts';
import { orUndefined } from '../../plugin/clients/stripe-refusals.ts';
import { createStripeSignatures } from '../../plugin/clients/stripe-signatures.ts';
import type { Config } from '../../plugin/settings/config.ts';
import { isThin, parseThin } from '../../plugin/sync/receive/read-thin.ts';

export interface WebhookListener {
  received(): readonly Stripe.Event[];
  close(): Promise<void>;
}

/** Undefined where the port is taken: the plugin itself runs there. */
export async function openWebhookListener(
  config: Config,
  clock: Clock,
  isOurs: (event: Stripe.Event) => boolean,
): Promise<WebhookListener | undefined> {
  const events: Stripe.Event[] = [];
  const app = express();
  app.disable('x-powered-by');
  const stripe = openSdk(config.stripe);
  app.post('/webhooks/stripe', express.raw({ type: '*/*', limit: '1mb' }), async (req, res) => {
    const payload = verify(req.body, req.get('stripe-signature') ?? '', config, clock);
    if (payload === undefined)
      return res.status(400).json({ error: { message: 'The signature is not good.' } });
    const event = isThin(payload) ? await findSnapshot(stripe, payload) : (payload as Stripe.Event);
    if (event === undefined || !isOurs(event))
      return res.status(503).json({ error: { message: 'A rehearsal is running.' } });
    events.push(event);
    return res.status(200).json({ received: true });
  });
  const server = createTransport(app, config, silentLogger);
  try {
    await listen(server, config);
  } catch {
    return undefined;
  }
  return { received: () => events, close: () => closeServer(server) };
}

/** The snapshot event behind a thin one: the rehearsal reads the event's object. */
async function findSnapshot(stripe: Stripe, payload: unknown): Promise<Stripe.Event | undefined> {
  const { data: thin } = parseThin(payload);
  const event = thin && (await orUndefined(() => stripe.v2.core.events.retrieve(thin.id)));
  const snapshot = event?.snapshot_event;
  return snapshot ? orUndefined(() => stripe.events.retrieve(snapshot)) : undefined;
}

/** Verifies an event of either form. */
function verify(body: unknown, signature: string, { stripe }: Config, clock: Clock): unknown {
  if (!Buffer.isBuffer(body)) return undefined;
  const text = body.toString();
  const { verifySignature } = createStripeSignatures(openSdk(stripe));
  for (const secret of stripe.webhookSecrets) {
    try {
      verifySignature(text, signature, secret, clock.now().toMillis());
      return JSON.parse(text);
    } catch {
      // Another secret may have signed it.
    }
  }
  return undefined;
}

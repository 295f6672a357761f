/**
 * Listens where the plugin would, and keeps the events of a rehearsal. Whatever else Stripe brings is answered with 503, so that
 * Stripe sends it again to the plugin.
 */
import express from 'express';
import Stripe from 'stripe';
import type { Config } from '../config/config.ts';
import { closeServer, createTransport, listen } from '../http/http-server.ts';
import type { Clock } from '../kit/clock.ts';
import { silentLogger } from '../kit/logger.ts';

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
  app.post('/webhooks/stripe', express.raw({ type: '*/*', limit: '1mb' }), (req, res) => {
    const event = verify(req.body, req.get('stripe-signature') ?? '', config, clock);
    if (event === undefined)
      return res.status(400).json({ error: { message: 'The signature is not good.' } });
    if (!isOurs(event)) return res.status(503).json({ error: { message: 'A rehearsal is running.' } });
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

function verify(
  body: unknown,
  signature: string,
  { stripe }: Config,
  clock: Clock,
): Stripe.Event | undefined {
  if (!Buffer.isBuffer(body)) return undefined;
  for (const secret of stripe.webhookSecrets) {
    try {
      return Stripe.webhooks.constructEvent(
        body,
        signature,
        secret,
        undefined,
        undefined,
        clock.now().toMillis(),
      );
    } catch {
      // Another secret may have signed it.
    }
  }
  return undefined;
}

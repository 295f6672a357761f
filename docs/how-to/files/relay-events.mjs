/**
 * Hands an event that Amazon EventBridge or Azure Event Grid brings to the plugin, signed as Stripe signs. `PLUGIN_WEBHOOK_URL` is the
 * plugin's `…/webhooks/stripe`, `RELAY_SECRET` one of the secrets in its STRIPE_WEBHOOK_SECRET.
 */
import { createHmac } from 'node:crypto';

export async function handler(message) {
  // EventBridge has Stripe's event in `detail`, Event Grid in `data`.
  const event = message.detail ?? message.data;
  const body = JSON.stringify(event);
  const time = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', process.env.RELAY_SECRET).update(`${time}.${body}`).digest('hex');
  const headers = { 'content-type': 'application/json', 'stripe-signature': `t=${time},v1=${signature}` };
  const answer = await fetch(process.env.PLUGIN_WEBHOOK_URL, { method: 'POST', body, headers });
  // What is thrown is delivered again: the plugin takes an event once, however often it comes.
  if (!answer.ok)
    throw new Error(`The plugin answered ${answer.status} to ${event?.id}: ${await answer.text()}`);
}

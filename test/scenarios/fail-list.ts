import type { PaymentMethodBehaviour } from '../../src/workbench/sandbox/payment-behaviour.ts';
import type { World } from '../support/world.ts';
import { type FailedSubscriber, failTogether } from './fail-together.ts';

export interface NewPayer {
  readonly paymentMethod: PaymentMethodBehaviour;
  /** The first part of an address at example.com. */
  readonly mailbox?: string;
}

/**
 * `failTogether` for a list whose members say more of a payer than the card: gives them back in their order. `older` ones
 * subscribed before the plugin came.
 */
export async function failList<const Payers extends readonly NewPayer[]>(
  world: World,
  payers: Payers,
  since?: 'older',
): Promise<{ readonly [Index in keyof Payers]: Payers[Index] & FailedSubscriber }>;
export async function failList(
  world: World,
  payers: readonly NewPayer[],
  since?: 'older',
): Promise<readonly (NewPayer & FailedSubscriber)[]> {
  const named = payers.map((payer, index) => ({ payer, name: payer.mailbox ?? `payer${index}` }));
  const cards = Object.fromEntries(named.map(({ name, payer }) => [name, payer.paymentMethod]));
  const failed = await failTogether(world, cards, { isOlder: since === 'older' });
  return named.map(({ name, payer }) => ({ ...payer, ...failed(name) }));
}

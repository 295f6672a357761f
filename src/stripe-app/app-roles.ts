/** What a role of Stripe's Dashboard lets its user do here. Reading is for everybody whom the Dashboard shows the app. */
import type { Ability } from '../operator/operations/operation.ts';
import type { AppRequest } from './app-request.ts';

/** Ids of Stripe's own roles; a custom role could have any name. */
const MAY: Readonly<Record<Ability, readonly string[]>> = {
  // Those who may also charge an invoice in the Dashboard.
  operate: ['super_admin', 'admin', 'analyst'],
  configure: ['super_admin', 'admin'],
};

export function listAbilities({ stripe_roles: roles }: Pick<AppRequest, 'stripe_roles'>): Ability[] {
  const ids = roles.flatMap(({ id, type }) => (type === 'builtIn' && id !== undefined ? [id] : []));
  const abilities: Ability[] = ['operate', 'configure'];
  return abilities.filter((ability) => MAY[ability].some((role) => ids.includes(role)));
}

/** What a role of Stripe's Dashboard lets its user do here. */
import type { Config } from '../config/config.ts';
import type { Ability } from '../operator/operations/operation.ts';
import type { AppRequest } from './app-request.ts';

export type AppRoles = Pick<Config, 'stripeAppReaders' | 'stripeAppOperators'>;
type SignedRoles = Pick<AppRequest, 'stripe_roles'>;

/** Who may act may read. */
export function mayRead(roles: AppRoles, request: SignedRoles): boolean {
  return hasRole(request, roles.stripeAppReaders) || listAbilities(roles, request).length > 0;
}

export function listAbilities({ stripeAppOperators }: AppRoles, request: SignedRoles): Ability[] {
  const may: Readonly<Record<Ability, readonly string[]>> = {
    operate: stripeAppOperators,
    configure: ['super_admin', 'admin'],
  };
  const abilities: Ability[] = ['operate', 'configure'];
  return abilities.filter((ability) => hasRole(request, may[ability]));
}

/** Stripe's own roles by their ids; a custom role, whose id could be any word, where the merchant lists it as `custom:ID`. */
function hasRole({ stripe_roles: roles }: SignedRoles, allowed: readonly string[]): boolean {
  return roles.some(
    ({ id, type }) => id !== undefined && allowed.includes(type === 'builtIn' ? id : `custom:${id}`),
  );
}

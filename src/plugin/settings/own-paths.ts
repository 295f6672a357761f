/** Which requests are the plugin's. All others are the host application's, and pass untouched. */
import type { Config } from './config.ts';

/** `alive` and `probe` are for load balancers and monitoring: they ask from other machines, and over plain HTTP. */
export type OwnPath = 'webhook' | 'private' | 'alive' | 'probe';

interface PathRow {
  readonly pattern: RegExp;
  readonly kind: OwnPath;
  /** Ours only where it is given. */
  readonly setting?: keyof Switches;
  /** Any application may have one of that name: at the root of a host's it is the host's. */
  readonly isCommon?: true;
}

type Switches = Pick<Config, 'signIn' | 'metricsToken' | 'stripeAppSecrets' | 'operatorTokens'>;

/** The paths that docs/reference/paths.md lists. */
const OWN_PATHS: readonly PathRow[] = [
  { pattern: /^\/webhooks\/stripe\/?$/i, kind: 'webhook' },
  { pattern: /^\/(accounts\/[^/]+\/)?(recovery_action|pause_collection)\/?$/i, kind: 'private' },
  { pattern: /^\/card-update\/./i, kind: 'private' },
  { pattern: /^\/console(\/|$)/i, kind: 'private', setting: 'signIn' },
  { pattern: /^\/api\/v1(\/|$)/i, kind: 'private', setting: 'operatorTokens', isCommon: true },
  { pattern: /^\/app\/request\/?$/i, kind: 'private', setting: 'stripeAppSecrets' },
  { pattern: /^\/healthz\/?$/i, kind: 'alive', isCommon: true },
  { pattern: /^\/readyz\/?$/i, kind: 'probe', isCommon: true },
  { pattern: /^\/metrics\/?$/i, kind: 'probe', setting: 'metricsToken', isCommon: true },
];

/** A path of ours as others reach it, wherever the plugin is mounted. */
export function publicAddress(publicUrl: URL, path: string): URL {
  return new URL(`${publicUrl.href.replace(/(?<!\/)\/+$/, '')}/${path}`);
}

/** Undefined if the path is the host's. `path` is relative to where the plugin is mounted, `isShared` if that is a host's root. */
export function findOwnPath(path: string, switches: Switches, isShared: boolean): OwnPath | undefined {
  return OWN_PATHS.find(
    ({ pattern, setting, isCommon }) =>
      pattern.test(path) &&
      (setting === undefined || switches[setting] !== undefined) &&
      !(isShared && isCommon),
  )?.kind;
}

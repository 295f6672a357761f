/** Which requests are the plugin's. All others are the host application's, and pass untouched. */
import type { Config } from '../config/config.ts';

/**
 * A `probe` is for load balancers and monitoring: they ask from other machines, and over plain HTTP. At the root it is the
 * application's own, which is `start` or a host.
 */
export type OwnPath = 'private' | 'probe';

type Switches = Pick<Config, 'signIn' | 'metricsToken' | 'stripeAppSecrets' | 'operatorTokens'>;

/** As docs/reference/paths.md lists them. With a setting: ours only where it is given. */
const OWN_PATHS: readonly { pattern: RegExp; kind: OwnPath; setting?: keyof Switches }[] = [
  { pattern: /^\/webhooks\/stripe\/?$/i, kind: 'private' },
  { pattern: /^\/(accounts\/[^/]+\/)?recovery_action\/?$/i, kind: 'private' },
  { pattern: /^\/card-update\/./i, kind: 'private' },
  { pattern: /^\/console(\/|$)/i, kind: 'private', setting: 'signIn' },
  { pattern: /^\/api\/v1(\/|$)/i, kind: 'private', setting: 'operatorTokens' },
  { pattern: /^\/app\/request\/?$/i, kind: 'private', setting: 'stripeAppSecrets' },
  { pattern: /^\/(healthz|readyz)\/?$/i, kind: 'probe' },
  { pattern: /^\/metrics\/?$/i, kind: 'probe', setting: 'metricsToken' },
];

/** A path of ours as others reach it, wherever the plugin is mounted. */
export function publicAddress(publicUrl: URL, path: string): URL {
  return new URL(`${publicUrl.href.replace(/(?<!\/)\/+$/, '')}/${path}`);
}

/** Undefined if the path is the host's. `path` is relative to where the plugin is mounted. */
export function findOwnPath(path: string, switches: Switches): OwnPath | undefined {
  return OWN_PATHS.find(
    ({ pattern, setting }) =>
      pattern.test(path) && (setting === undefined || switches[setting] !== undefined),
  )?.kind;
}

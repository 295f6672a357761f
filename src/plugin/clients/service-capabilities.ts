/** Capabilities of services beyond the contract, asked on use and again after an hour. */
import type { Clock } from '../../core/base/clock.ts';
import { tryJson } from '../../core/base/try-json.ts';
import { type Capability, capabilitiesAnswer } from '../../core/contract/capabilities.ts';

const LEARNED_HOURS = 1;
/** Statuses of an outage, after which the service may know more. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Statuses that mean none; any other answer without a list does not unlearn those of before. */
const MISSING: ReadonlySet<number> = new Set([404, 405, 501]);
const NONE: ReadonlySet<string> = new Set();

type Ask = () => Promise<
  { readonly status: number; readonly ok: boolean; readonly text: string } | undefined
>;

interface Capabilities {
  /** Undefined while the service has never answered. */
  can(key: string, capability: Capability, ask: Ask): Promise<boolean | undefined>;
  /** The last answer, of any age, without asking. */
  knows(key: string, capability: Capability): boolean | undefined;
}

export function createCapabilities(clock: Pick<Clock, 'now'>): Capabilities {
  const learned = new Map<string, { readonly known: ReadonlySet<string>; readonly untilMs: number }>();
  const can: Capabilities['can'] = async (key, capability, ask) => {
    const before = learned.get(key);
    const nowMs = clock.now().toMillis();
    if (before && before.untilMs > nowMs) return before.known.has(capability);
    const answer = await ask();
    if (answer === undefined || PASSING.has(answer.status)) return before?.known.has(capability);
    const listed = answer.ok ? capabilitiesAnswer.safeParse(tryJson(answer.text)).data : undefined;
    if (!listed && before?.known.size && !MISSING.has(answer.status)) return before.known.has(capability);
    const known = listed ? new Set(listed.capabilities) : NONE;
    learned.set(key, { known, untilMs: nowMs + LEARNED_HOURS * 3_600_000 });
    return known.has(capability);
  };
  return { can, knows: (key, capability) => learned.get(key)?.known.has(capability) };
}

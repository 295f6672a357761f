/** Plays one story in the order that follows from a seed, and reckons. */
import { isDeepStrictEqual } from 'node:util';
import { isError } from '../../../src/core/base/errors.ts';
import type { Sandbox } from '../../../src/workbench/sandbox/sandbox.ts';
import type { TestLocation } from '../../support/database/databases.ts';
import { chargesOf, payCalls, statusOf } from '../../support/scenario.ts';
import { findViolations } from '../chaos/violations.ts';
import { openSite, type Site } from './processes.ts';
import type { Story } from './stories.ts';
import type { Rewrite } from './transports.ts';

export interface Played {
  readonly violations: readonly string[];
  /** Of the whole order: equal in each play of the seed. */
  readonly hash: string;
  readonly trace: readonly string[];
}

export async function playStory(
  story: Story,
  seed: number,
  place: TestLocation,
  rewrite?: Rewrite,
): Promise<Played> {
  const { processes, settings = {} } = story;
  const site = await openSite({
    place,
    seed,
    processes,
    settings,
    arrange: (sandbox) => arrange(sandbox, story),
    rewrite,
  });
  const { schedule } = site;
  try {
    await site.start();
    await site.settle();
    // A card that was given in the same second could be one that was given because a payment failed.
    await site.pass({ hours: 1 });
    await story.play(site);
    for (const step of [{ minutes: 1 }, { minutes: 20 }]) await site.pass(step);
    return { violations: await reckon(site, story), hash: schedule.hash(), trace: schedule.trace };
  } catch (error) {
    return {
      violations: [isError(error) ? (error.stack ?? error.message) : String(error)],
      hash: schedule.hash(),
      trace: schedule.trace,
    };
  } finally {
    await site.stop();
  }
}

function arrange(sandbox: Sandbox, { cards }: Story): void {
  const { id: price } = sandbox.createPrice({ unit_amount: 2000 });
  for (const [index, paymentMethod] of cards.entries()) {
    const { id: customer } = sandbox.createCustomer({
      email: `ada${index}@example.com`,
      country: 'DE',
      paymentMethod,
    });
    sandbox.createSubscription({ customer, items: [{ price }] });
  }
}

async function reckon(site: Site, { end, emails = 0, endedSubscriptions = 0 }: Story): Promise<string[]> {
  const { sandbox, service, acknowledged, query } = site;
  const now = site.now().toSeconds();
  const violations = await findViolations({ sandbox, service, acknowledged, now, query });
  let ended = 0;
  for (const { id } of sandbox.state.subscriptions.newestFirst()) {
    const { latest_invoice: latest, status } = sandbox.state.subscriptions.get(id) ?? {};
    if (status === 'canceled') ended += 1;
    const invoice = String(latest);
    const keys = new Set(payCalls(site, invoice).map(({ idempotencyKey }) => idempotencyKey));
    const found = { status: statusOf(site, invoice), charges: chargesOf(site, invoice), ours: keys.size };
    if (!isDeepStrictEqual(found, end))
      violations.push(`${invoice} ended as ${JSON.stringify(found)}, not as ${JSON.stringify(end)}`);
  }
  if (ended !== endedSubscriptions)
    violations.push(`${ended} subscriptions ended, not ${endedSubscriptions}`);
  if (site.emails.length !== emails)
    violations.push(`${site.emails.length} emails, not ${emails}: ${site.emails}`);
  return violations;
}

/** Plays one story with one crash, and reckons: `stories.ts` with every call once the last, before and after it. */
import { isDeepStrictEqual } from 'node:util';
import { connectTestPostgres } from '../../support/database/postgres-server.ts';
import type { RecordingService } from '../../support/http/recording-service.ts';
import { CALLS, type LastCall } from '../../support/process/last-call.ts';
import { chargesOf, payCalls, statusOf } from '../../support/scenario.ts';
import { createWorld } from '../../support/world.ts';
import { findViolations } from '../chaos/violations.ts';
import { createStage, type Stage } from './stage.ts';
import { arrange, STORIES, type Story } from './stories.ts';

export interface Point {
  readonly story: Story;
  readonly last: LastCall;
}

export interface Played {
  readonly violations: readonly string[];
  readonly calls: Stage['counted']['calls'];
  readonly total: number;
  /** False where fewer calls were made than it waited for. */
  readonly hasCrashed: boolean;
}

/** `failure-to-paid:database-after:17`: what CRASH_POINT names. */
export const nameOf = ({ story, last: { to, when, number } }: Point) =>
  `${story.name}:${to}-${when}:${number}`;

export function readPoint(text: string): Point {
  const [name, kind = '', number] = text.split(':');
  const story = STORIES.find((one) => one.name === name);
  const [called, when] = kind.split('-');
  const to = CALLS.find((one) => one === called);
  if (!story || !to || (when !== 'before' && when !== 'after') || !(Number(number) > 0))
    throw new Error(
      `${text} is no crash point: write such as ${STORIES[0]?.name}:database-after:17, with ${CALLS.join(', ')}.`,
    );
  return { story, last: { to, when, number: Number(number) } };
}

/** In their order: every call of a run without a crash that changed something, before and after it. */
export const listPoints = (story: Story, calls: Played['calls']): readonly Point[] =>
  CALLS.flatMap((to) =>
    calls[to].flatMap((_, index) =>
      (['before', 'after'] as const).map((when) => ({ story, last: { to, when, number: index + 1 } })),
    ),
  );

export interface Theatre {
  /** Without a last call, as a first run that finds out which calls there are. */
  play(story: Story, last?: LastCall): Promise<Played>;
  close(): Promise<void>;
}

interface Beginning {
  /** A database that the plugin has left. */
  readonly template: string;
  /** What the service was told by then. */
  readonly told: RecordingService['view'];
}

/** What each story begins with is made once. */
export function openTheatre(server: string, migrated: string): Theatre {
  const postgres = connectTestPostgres(server);
  const beginnings = new Map<Story, Promise<Beginning>>();
  const beginningOf = (story: Story) => {
    const known = beginnings.get(story) ?? postgres.createDatabase(migrated).then((url) => begin(story, url));
    beginnings.set(story, known);
    return known;
  };
  return {
    play: async (story, last) => {
      const { template, told } = await beginningOf(story);
      const stage = await createStage({
        server,
        template,
        last,
        told,
        arrange: (sandbox) => arrange(sandbox, story),
        settings: story.settings ?? {},
        isAboutStart: story.isAboutStart ?? false,
      });
      try {
        await story.play(stage);
        stage.counted.rest();
        await comeToRest(stage);
        const violations = await reckon(stage, story);
        return {
          violations,
          calls: stage.counted.calls,
          total: stage.counted.total(),
          hasCrashed: stage.counted.isOver(),
        };
      } finally {
        await stage.stop();
      }
    },
    close: async () => {
      for (const begun of beginnings.values()) await postgres.dropDatabase((await begun).template);
    },
  };
}

async function begin(story: Story, template: string): Promise<Beginning> {
  const world = await createWorld({
    engine: {
      createMigrated: async () => ({
        location: { kind: 'postgres', url: template },
        remove: async () => {},
      }),
    },
    isRemote: true,
    plugin: { ...story.settings, backfillOnStart: story.isKnown ?? true },
    arrange: async (sandbox) => {
      arrange(sandbox, story);
      return {};
    },
  });
  await world.settle();
  const told = new Map(world.service.view);
  await world.stop();
  return { template, told };
}

/** Time for Stripe to send again, for claims to run out and for what was postponed. */
async function comeToRest(stage: Stage): Promise<void> {
  for (const step of [{ minutes: 1 }, { minutes: 20 }, { hours: 3 }, { hours: 26 }, { hours: 26 }])
    await stage.pass(step);
}

async function reckon(stage: Stage, { end, emails = 0 }: Story): Promise<string[]> {
  const { world, acknowledged } = stage;
  const { sandbox, service } = world;
  const now = stage.now();
  const violations = await findViolations({
    sandbox,
    service,
    acknowledged,
    now: now.toSeconds(),
    query: world.query,
  });
  const due = await world.query<{ name: string; state: string }>(
    `select name, state, output::text from payment_retry_jobs.job
     where not starts_with(name, '__pgboss__')
       and (state = 'active' or (state in ('created', 'retry') and start_after <= $1))`,
    [now],
  );
  for (const job of due) violations.push(`a job is left: ${JSON.stringify(job)}`);
  for (const { id } of sandbox.state.subscriptions.newestFirst()) {
    const invoice = String(sandbox.state.subscriptions.get(id)?.latest_invoice);
    const keys = new Set(payCalls(world, invoice).map(({ idempotencyKey }) => idempotencyKey));
    const found = { status: statusOf(world, invoice), charges: chargesOf(world, invoice), ours: keys.size };
    if (!isDeepStrictEqual(found, end))
      violations.push(`${invoice} ended as ${JSON.stringify(found)}, not as ${JSON.stringify(end)}`);
  }
  // Each subscription that ended is told by one.
  const ended = [...sandbox.state.subscriptions.newestFirst()].filter(({ status }) => status === 'canceled');
  const expected = emails + ended.length;
  const sent = world.email.emails.map(({ messageId }) => messageId);
  // One whose sender died before it heard that it was taken goes out once more, under its old id.
  const most = expected + (stage.counted.isOver() ? 1 : 0);
  if (new Set(sent).size !== expected || sent.length > most)
    violations.push(`${sent.length} emails were sent, ${new Set(sent).size} different ones, not ${expected}`);
  return violations;
}

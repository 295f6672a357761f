/** A merchant's world in which the plugin ends at one call, and another begins on what it had stored. */
import type { DateTime, DurationLike } from 'luxon';
import type { OwnOptions } from '../../../src/plugin/app/own-plugin.ts';
import type { Sandbox } from '../../../src/workbench/sandbox/sandbox.ts';
import { connectTestPostgres } from '../../support/database/postgres-server.ts';
import type { RecordingService } from '../../support/http/recording-service.ts';
import { createLife, type LastCall, type Life } from '../../support/process/last-call.ts';
import { callBack } from '../../support/scenario.ts';
import { createWorld, type World } from '../../support/world.ts';

export interface Stage {
  readonly world: World;
  /** What the service was told was heard. */
  readonly acknowledged: Set<string>;
  /** The life that may end: what it called, and whether it did. */
  readonly counted: Life;
  now(): DateTime;
  /** Does what can be done twice, again in another life if one ends meanwhile. */
  survive(work: () => Promise<unknown>): Promise<void>;
  /** Both sides do what is due now, until nothing is. */
  settle(): Promise<void>;
  pass(duration: DurationLike): Promise<void>;
  /** The process ends; the next one's calls are counted from its start. */
  restart(): Promise<void>;
  /** The service asks until it is heard. */
  ask(body: { requestId: string; [field: string]: unknown }): Promise<void>;
  retry(invoiceId: string, requestId: string, suggestion?: string, at?: DateTime): Promise<void>;
  complete(invoiceId: string): Promise<void>;
  stop(): Promise<void>;
}

export interface StageOptions {
  readonly server: string;
  /** A database to begin with a copy of. */
  readonly template: string;
  /** What the service was told by then. */
  readonly told: RecordingService['view'];
  readonly arrange: (sandbox: Sandbox) => void;
  readonly settings: OwnOptions;
  /** Calls are counted from `restart` on, and not before. */
  readonly isAboutStart: boolean;
  readonly last?: LastCall | undefined;
}

const MAX_ROUNDS = 100;

export async function createStage(options: StageOptions): Promise<Stage> {
  const { server, template, told, arrange, settings, isAboutStart, last } = options;
  const postgres = connectTestPostgres(server);
  const url = await postgres.createDatabase(template);
  let counted = createLife();
  const lives: Life[] = [];
  const ended: Promise<unknown>[] = [];
  const world = await createWorld({
    engine: {
      createMigrated: async () => ({
        location: { kind: 'postgres', url },
        remove: () => postgres.dropDatabase(url),
      }),
    },
    isRemote: true,
    plugin: settings,
    arrange: async (sandbox) => {
      arrange(sandbox);
      return {};
    },
    through: (outside) => {
      const life = lives.includes(counted) ? createLife() : counted;
      lives.push(life);
      return life.through(outside);
    },
  });
  const life = () => lives.at(-1) ?? counted;
  for (const [id, record] of told) world.service.view.set(id, record);
  // A card that was given in the same second could be one that was given because a payment failed.
  await world.clock.set(world.clock.now().plus({ hours: 1 }));
  await world.settle();
  if (!isAboutStart) counted.count(last);

  async function attempt(work: () => Promise<unknown>): Promise<boolean> {
    const mine = life();
    if (mine.isOver()) return false;
    const done = work().then(
      () => true,
      (error) => {
        if (!mine.isOver()) throw error;
        return false;
      },
    );
    await Promise.race([done, mine.over]);
    return !mine.isOver() && done;
  }
  /** What it began with may be over before it has begun. */
  async function revive(): Promise<void> {
    const gone = world.abandon();
    life().end();
    await life().over;
    ended.push(gone.stop().catch(() => {}));
    const begun = world.restart();
    const mine = life();
    const failed = begun.catch((error) => {
      if (!mine.isOver()) throw error;
    });
    await Promise.race([failed, mine.over]);
  }
  const survive: Stage['survive'] = async (work) => {
    while (!(await attempt(work))) await revive();
  };
  const settle = async () => {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      let done = await world.sandbox.run();
      await survive(async () => {
        done += await world.plugin.runOnce();
      });
      if (done === 0) return;
    }
    throw new Error(`Something is due for ever at ${world.clock.now().toISO()}.`);
  };
  const acknowledged = new Set<string>();
  const ask: Stage['ask'] = async (body) => {
    await survive(async () => {
      const { status } = await callBack(world, body);
      if (status !== 200) throw new Error(`The instruction was answered ${status}.`);
    });
    acknowledged.add(body.requestId);
    await settle();
  };

  return {
    world,
    acknowledged,
    get counted() {
      return counted;
    },
    now: world.clock.now,
    survive,
    settle,
    pass: async (duration) => {
      const at = world.clock.now().plus(duration);
      await survive(async () => {
        // The clock waits for what the lives before still do at their times.
        await Promise.all(ended);
        await world.clock.set(at);
      });
      await settle();
    },
    restart: async () => {
      counted = createLife();
      counted.count(last);
      await revive();
      await survive(async () => {});
    },
    ask,
    retry: (invoiceId, requestId, suggestion = 'RETRY', at = world.clock.now()) =>
      ask({
        requestId,
        invoiceId,
        actionSuggestion: `ACTION_SUGGESTION_${suggestion}`,
        idealRetryTime: at.toISO(),
      }),
    complete: async (invoiceId) => {
      await survive(async () => {
        const { status } = await callBack(world, {
          id: `end of ${invoiceId}`,
          type: 'complete_dunning',
          created: 'now',
          data: { invoiceId },
        });
        if (status !== 200) throw new Error(`The end of dunning was answered ${status}.`);
      });
      await settle();
    },
    stop: async () => {
      await Promise.all(ended);
      await world.stop();
      await Promise.all(lives.map((one) => one.release()));
    },
  };
}

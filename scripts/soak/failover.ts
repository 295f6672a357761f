/** PostgreSQL stops, starts again, and at last is another server: what was acknowledged is there, and work goes on. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startOwnPostgres } from '../../test/support/database/postgres-server.ts';
import { type SoakSite, withSoakSite } from './soak-site.ts';

const AWAY_MS = 5_000;

export async function runFailover(print: (line: string) => void): Promise<void> {
  const first = await startOwnPostgres();
  if (!first) return print('failover: skipped, as this machine has no PostgreSQL');
  const second = await first.startStandby();
  if (!second) throw new Error('There is no second server.');
  const address = await startAddress(first.url);
  try {
    await withSoakSite({ location: { kind: 'postgres', url: address.url } }, print, async (site) => {
      await site.start();
      const pid = site.process().pid;
      await during(site, async () => {
        await first.halt('fast');
        await sleep(AWAY_MS);
        await first.start();
      });
      print('failover: stopped for 5 s and started again, and worked on');
      await during(site, async () => {
        await first.halt('immediate');
        await sleep(AWAY_MS);
        await address.moveTo(second.url);
        await promote(second.url);
      });
      print('failover: the standby was promoted behind the same address, and worked on');
      if (site.process().pid !== pid || site.process().code() !== undefined)
        throw new Error('The process ended.');
      print(`failover: whole afterwards ${JSON.stringify(await site.expectWhole())}`);
    });
  } finally {
    await address.stop();
    await Promise.all([first.stop(), second.stop()]);
  }
}

/** Some work is acknowledged before it, some comes while it lasts, some afterwards. */
async function during(site: SoakSite, outage: () => Promise<void>): Promise<void> {
  const work = (count: number) => Promise.all(Array.from({ length: count }, () => site.work()));
  await work(3);
  const begun = work(5);
  await sleep(1_000);
  await outage();
  await begun;
  await work(3);
}

async function promote(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('select pg_promote()');
  await client.end();
}

/** One address, whichever server has it at that moment. */
async function startAddress(first: string) {
  let target = new URL(first);
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const url = new URL(first);
  url.port = String(typeof bound === 'object' && bound ? bound.port : 0);
  const endAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: url.href,
    moveTo: async (next: string) => {
      target = new URL(next);
      endAll();
    },
    stop: async () => {
      endAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

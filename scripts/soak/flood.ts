/** More connections than the process may have files open, each with headers that never end, on both ports. */
import { rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { newDataDirectory } from '../../test/support/database/data-directory.ts';
import { memoryOf, type SoakSite, withSoakSite } from './soak-site.ts';

const OPEN_FILES = 1024;
const SOCKETS = 1_500;
const SECONDS = 30;

export async function runFlood(print: (line: string) => void): Promise<void> {
  const directory = newDataDirectory();
  try {
    await withSoakSite(
      {
        location: { kind: 'embedded', directory },
        openFiles: OPEN_FILES,
      },
      print,
      async (site) => {
        await site.start();
        await work(site, 5);
        const before = memoryOf(site.process());
        const answers = new Map<number, number>();
        const floods = [site.url(), site.serviceUrl()].map((url) => openFlood(url, SOCKETS));
        const end = Date.now() + SECONDS * 1000;
        const working = (async () => {
          for (let count = 0; Date.now() < end; count += 1) {
            if (count < 8) void work(site, 1).catch(() => {});
            const status = await ask(`${site.url()}/readyz`);
            answers.set(status, (answers.get(status) ?? 0) + 1);
            await sleep(250);
          }
        })();
        await working;
        const held = floods.map(({ held }) => held());
        for (const { close } of floods) close();
        print(
          `flood: ${SOCKETS} sockets a port for ${SECONDS} s under ulimit -n ${OPEN_FILES}; held at the end ${held.join(' and ')}; /readyz ${JSON.stringify(Object.fromEntries(answers))}`,
        );
        await work(site, 5);
        print(`flood: memory ${before} → ${memoryOf(site.process())} MB`);
        print(`flood: whole afterwards ${JSON.stringify(await site.expectWhole())}`);
      },
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function work(site: SoakSite, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => site.work()));
}

/** 0: no answer. */
async function ask(url: string): Promise<number> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    await response.body?.cancel();
    return response.status;
  } catch {
    return 0;
  }
}

/** Sockets that were closed are opened again, as an attacker does. */
export function openFlood(url: string, count: number) {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let isOver = false;
  const open = () => {
    if (isOver) return;
    const socket = connect(Number(port), hostname);
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('connect', () => socket.write('POST /webhooks/stripe HTTP/1.1\r\nHost: x\r\nX-Slow: '));
    socket.on('close', () => {
      sockets.delete(socket);
      setTimeout(open, 100);
    });
  };
  for (let index = 0; index < count; index += 1) open();
  return {
    held: () => [...sockets].filter(({ readyState }) => readyState === 'open').length,
    close: () => {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

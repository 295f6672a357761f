/** Large bodies that nobody signed, many at once, at the webhook and at the embedded service: what memory they take. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { newDataDirectory } from '../../test/support/database/data-directory.ts';
import { memoryOf, type SoakProcess, withSoakSite } from './soak-site.ts';

const BODIES = 600;
const BODY = Buffer.alloc(1_000_000, 'x');

export async function runLargeBodies(print: (line: string) => void): Promise<void> {
  const directory = newDataDirectory();
  try {
    await withSoakSite({ location: { kind: 'embedded', directory } }, print, async (site) => {
      await site.start();
      await Promise.all(Array.from({ length: 5 }, () => site.work()));
      for (const url of [`${site.url()}/webhooks/stripe`, `${site.serviceUrl()}/ingest/v1/invoices`]) {
        const before = memoryOf(site.process());
        forgetMost(site.process());
        const answers = new Map<string, number>();
        const sent = Array.from({ length: BODIES }, async () => {
          const status = await send(url);
          answers.set(status, (answers.get(status) ?? 0) + 1);
        });
        await Promise.all(sent);
        print(
          `bodies: ${BODIES} of 1 MB at once to ${new URL(url).pathname}: ${before} MB before, ${mostOf(site.process())} MB at most; answers ${JSON.stringify(Object.fromEntries(answers))}`,
        );
      }
      await Promise.all(Array.from({ length: 5 }, () => site.work()));
      print(`bodies: whole afterwards ${JSON.stringify(await site.expectWhole())}`);
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** `cut`: ended unanswered, as the connection of a refused body may be while it is sent. */
function send(url: string): Promise<string> {
  return new Promise((resolve) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': BODY.length,
      // Without one the body is not read.
      'stripe-signature': 't=1,v1=0',
    };
    const sent = request(url, { method: 'POST', agent: false, headers }, (answer) => {
      answer.resume();
      answer.once('close', () => resolve(String(answer.statusCode)));
    });
    sent.once('error', () => resolve('cut'));
    sent.end(BODY);
  });
}

/** Linux keeps the most that a process had resident, since its start or since this. */
function forgetMost({ pid }: SoakProcess): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function mostOf({ pid }: SoakProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

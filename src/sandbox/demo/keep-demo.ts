import type { DemoWorld } from './demo-world.ts';
import { runDemo } from './run-demo.ts';

const PORT = 8480;

/** Leaves the demo's console open until the process is interrupted. */
export function runKeptDemo(): Promise<number> {
  return runDemo({ port: PORT, afterwards: keepConsole });
}

async function keepConsole({ console, clock }: DemoWorld): Promise<void> {
  process.stdout.write(`
The console is open, as of ${clock.now().toFormat("d LLLL yyyy, HH:mm 'UTC'")}:
  ${console.url}
  user ${console.user}, password ${console.password}
Ctrl+C ends it.
`);
  await new Promise(() => {});
}

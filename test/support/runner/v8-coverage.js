/** V8's counts of a test process, and of the processes and threads that its tests start. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

let session;
const folderOfProcesses = () => join(process.env.RUN_DIR, `coverage-${process.pid}`);

/** V8 counts blocks only of code that it compiles after this, so it counts on between suites. */
export function startCoverage() {
  mkdirSync(folderOfProcesses(), { recursive: true });
  // Node counts in each process and thread that starts with it.
  process.env.NODE_V8_COVERAGE = folderOfProcesses();
  if (session) return;
  session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
}

/** Returns what ran since the last call, for `coverage-reporter.js`; undefined if nothing is counted. */
export function takeCoverage() {
  if (!session) return undefined;
  const compiled = pathToFileURL(process.env.COMPILED_TESTS).href;
  const v8 = [...takeOwn(), ...takeOfProcesses()].filter(({ url }) => url.startsWith(compiled));
  return { v8 };
}

function takeOwn() {
  let taken = [];
  session.post('Profiler.takePreciseCoverage', (error, answer) => {
    if (error) throw error;
    taken = answer.result;
  });
  return taken;
}

function takeOfProcesses() {
  return readdirSync(folderOfProcesses()).flatMap((name) => {
    const file = join(folderOfProcesses(), name);
    const { result } = JSON.parse(readFileSync(file, 'utf8'));
    rmSync(file);
    return result;
  });
}

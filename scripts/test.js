/** `npm test`: format, lint and types are checked beside the tests, which leave a core free now and then. What is found ends the tests. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

function run(command, args) {
  const child = spawn(command, args, { stdio: 'inherit', shell: process.platform === 'win32' });
  const stop = () => child.kill();
  const code = once(child, 'close').then(([status]) => status ?? 1);
  return { code, stop };
}

const tests = run(process.execPath, ['node_modules/jest/bin/jest.js', ...process.argv.slice(2)]);
const check = run('npm', ['run', 'check', '--silent']);
void check.code.then((code) => {
  if (code !== 0) tests.stop();
});
const codes = await Promise.all([check.code, tests.code]);
process.exitCode = codes.find((code) => code !== 0) ?? 0;

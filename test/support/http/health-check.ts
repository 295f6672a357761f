/** The image's own check of its health, as Docker would run it, beside a process of ours. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Docker runs it in Linux, with Busybox's tools. */
export const CAN_CHECK_HEALTH = existsSync('/proc/self/cmdline') && existsSync('/usr/bin/wget');

/** Returns its exit code. */
export function checkHealth(
  { pid }: { readonly pid: number | undefined },
  settings: Readonly<Record<string, string>>,
): Promise<number> {
  const dockerfile = readFileSync(new URL('../../../Dockerfile', import.meta.url), 'utf8');
  const [, command = 'exit 9'] = /^HEALTHCHECK .*\\\n +CMD ((?:.*\\\n)*.*)$/m.exec(dockerfile) ?? [];
  const script = command.replaceAll('/proc/1/', `/proc/${pid}/`);
  return new Promise((resolve) => {
    const child = execFile('sh', ['-c', script], { env: { PATH: process.env.PATH, ...settings } });
    child.once('exit', (code) => resolve(code ?? -1));
  });
}

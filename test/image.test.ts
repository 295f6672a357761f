/**
 * The Dockerfile's steps, one after the other, each at its real path: in a file system that lies over this machine's and takes all that is
 * written. Node, npm and libc are this machine's, not those of the base images.
 */
import { execFile, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { IS_FULL_RUN } from './support/runner/full-run.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** In a mount namespace of its own, where the layer lies over `/`. */
const IN_LAYER = `
  set -e
  mount -t overlay overlay -o "lowerdir=/,upperdir=$LAYER/upper,workdir=$LAYER/work" "$LAYER/root"
  mount -t proc proc "$LAYER/root/proc"
  mount --rbind /dev "$LAYER/root/dev"
  exec chroot "$LAYER/root" setpriv --reuid "$AS" --regid "$AS" --clear-groups sh -ec 'cd "$0" && eval "$1"' "$FOLDER" "$COMMAND"
`;
const UNSHARE = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', IN_LAYER];

const temporary = mkdtempSync(join(tmpdir(), 'image-'));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

interface Stage {
  readonly layer: string;
  folder: string;
  as: string;
  env: Record<string, string>;
}

function createStage(name: string): Stage {
  const layer = join(temporary, name);
  for (const part of ['upper/etc', 'work', 'root']) mkdirSync(join(layer, part), { recursive: true });
  // The images of Node have this user.
  for (const [file, line] of [
    ['passwd', 'node:x:1000:1000::/home/node:/bin/sh'],
    ['group', 'node:x:1000:'],
  ] as const) {
    const others = readFileSync(`/etc/${file}`, 'utf8')
      .split('\n')
      .filter((one) => !/^node:|:1000:/.test(one));
    writeFileSync(join(layer, 'upper/etc', file), [line, ...others].join('\n'));
  }
  return { layer, folder: '/', as: '0', env: {} };
}

async function runIn({ layer, folder, as, env }: Stage, command: string): Promise<string> {
  const { stdout } = await run('unshare', UNSHARE, {
    env: { ...process.env, ...env, LAYER: layer, FOLDER: folder, AS: as, COMMAND: command },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

const inUpper = (stage: Stage, path: string) =>
  join(stage.layer, 'upper', path.startsWith('/') ? path : join(stage.folder, path));

function copy(stage: Stage, words: readonly string[], stages: ReadonlyMap<string, Stage>): void {
  const from = /^--from=(.+)$/.exec(words[0] ?? '')?.[1];
  const paths = from === undefined ? words : words.slice(1);
  const target = paths.at(-1) ?? '';
  const source = from === undefined ? undefined : stages.get(from);
  for (const path of paths.slice(0, -1)) {
    const place = source ? inUpper(source, path) : join(ROOT, path);
    const isInto = target.endsWith('/') && !statSync(place).isDirectory();
    cpSync(place, inUpper(stage, isInto ? join(target, basename(path)) : target), {
      recursive: true,
      filter: (one) => !/\.br(\.\d+)?$/.test(one) || source !== undefined,
    });
  }
}

/** Takes every step. Returns the last stage, and what the image would run. */
async function build(): Promise<{ image: Stage; entry: string }> {
  const stages = new Map<string, Stage>();
  let stage = createStage('none');
  let entry = '';
  const lines = read('Dockerfile')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n');
  for (const line of lines) {
    const [, step = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (step === 'FROM') {
      const [, base = '', name = 'image'] = /^(\S+)(?: AS (\w+))?$/.exec(rest) ?? [];
      stage = (base.startsWith('$') ? stages.get('clone') : undefined) ?? createStage(name);
      stages.set(name, stage);
    } else if (stage === stages.get('registry')) continue;
    else if (step === 'WORKDIR') {
      stage.folder = rest;
      mkdirSync(inUpper(stage, '.'), { recursive: true });
    } else if (step === 'COPY') copy(stage, rest.split(' '), stages);
    else if (step === 'RUN') await runIn(stage, rest);
    else if (step === 'ENV')
      for (const [, name = '', value = ''] of rest.matchAll(/([A-Z_]+)=(\S+)/g)) stage.env[name] = value;
    else if (step === 'USER') stage.as = rest === 'node' ? '1000' : rest;
    else if (step === 'ENTRYPOINT') entry = (JSON.parse(rest) as string[]).join(' ');
  }
  return { image: stage, entry };
}

const hasLayers =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('unshare', UNSHARE, {
    env: { ...process.env, LAYER: createStage('tried').layer, FOLDER: '/', AS: '1000', COMMAND: 'true' },
  }).status === 0;

(IS_FULL_RUN && hasLayers ? test : test.skip)(
  'what the Dockerfile makes starts as its user, with nothing but what it copied, and holds no source',
  async () => {
    const { image, entry } = await build();
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect((await runIn(image, `${entry} --version`)).trim()).toBe(version);
    // Without DATABASE_URL: the tables are in the folder that the image makes for its user.
    expect(await runIn(image, `id -u && env -u DATABASE_URL ${entry} db migrate && ls "$DATA_DIR"`)).toMatch(
      /^1000\n(.*\n)*pg\n$/,
    );
    expect(existsSync(inUpper(image, 'src'))).toBe(false);
    for (const name of ['jest', 'typescript'])
      expect(existsSync(inUpper(image, `node_modules/${name}`))).toBe(false);
    await expect(runIn(image, 'touch /app/node_modules/changed')).rejects.toThrow();
  },
);

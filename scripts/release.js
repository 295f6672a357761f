/**
 * The steps of a release, each of which a person can take, too; .github/workflows/release.yml takes them for a tag.
 * `check v1.2.3` says what keeps that tag from being released, `notes v1.2.3` prints its part of the changelog, `files` makes what is
 * published in the folder `release`, `prepare` writes a new version everywhere, `repository owner/name` the repository, and `dry-run`
 * does all that needs no account.
 */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** What names the image by its version. */
const WITH_IMAGE = ['compose.yaml', 'docs/how-to/deployment.md', 'docs/how-to/files/kubernetes.yaml'];
const CHART = 'docs/how-to/files/helm/stripe-payment-retry/Chart.yaml';
const OF_CHART = /^(version: |appVersion: ")(\d+\.\d+\.\d+[\w.-]*)/gm;
const IMAGE = /(stripe-payment-retry):(\d+\.\d+\.\d+[\w.-]*)/g;
const VERSION = /^\d+\.\d+\.\d+(-[\w.-]+)?$/;

const read = (path) => readFileSync(join(ROOT, path), 'utf8');
const say = (text) => process.stdout.write(`${text}\n`);
/** On Windows npm is a script of the shell. */
const npm = (args, options = {}) =>
  execFileSync('npm', args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
    ...options,
  });

/** Why `tag` cannot be released, one sentence each. `repository` is GitHub's `owner/name`, where it runs there. */
export function listProblems(tag, repository) {
  const { version } = JSON.parse(read('package.json'));
  const { version: locked } = JSON.parse(read('package-lock.json'));
  const others = (path, pattern) =>
    [...read(path).matchAll(pattern)].flatMap(([, , found]) =>
      found === version ? [] : [`${path} (${found})`],
    );
  const images = [...WITH_IMAGE.flatMap((path) => others(path, IMAGE)), ...others(CHART, OF_CHART)];
  return [
    VERSION.test(tag.slice(1)) && tag.startsWith('v')
      ? undefined
      : `The tag ${tag} is not v and a version, such as v1.2.3.`,
    tag === `v${version}` ? undefined : `The tag is ${tag}, and package.json says ${version}.`,
    locked === version ? undefined : `package-lock.json says ${locked}, and package.json ${version}.`,
    images.length === 0 ? undefined : `The image has another version in ${images.join(', ')}.`,
    sectionOf(version)?.date === undefined
      ? `CHANGELOG.md has no section "## ${version} (YYYY-MM-DD)".`
      : undefined,
    repository === undefined || repository === repositoryOf()
      ? undefined
      : `package.json names ${repositoryOf()}, and this is ${repository}: npm takes no provenance then.`,
  ].filter((problem) => problem !== undefined);
}

/** A version's part of the changelog, without its heading. The date is absent while it is not released. */
function sectionOf(version) {
  const sections = read('CHANGELOG.md').split(/^## /m).slice(1);
  for (const section of sections) {
    const [heading = '', ...lines] = section.split('\n');
    const [, found, inBrackets = ''] = /^(\S+)(?: \((.*)\))?$/.exec(heading) ?? [];
    if (found !== version) continue;
    const date = /^\d{4}-\d{2}-\d{2}$/.test(inBrackets) ? inBrackets : undefined;
    return { date, text: lines.join('\n').trim() };
  }
  return undefined;
}

/** The part of the changelog that a tag's release on GitHub shows. Links into the repository lead to that tag. */
export function notesOf(tag) {
  const { homepage } = JSON.parse(read('package.json'));
  const section = sectionOf(tag.slice(1));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section of ${tag}.`);
  const files = `${homepage.replace(/#.*$/, '')}/blob/${tag}/`;
  return `${section.text.replaceAll(/\]\((?!https?:)/g, `](${files}`)}\n`;
}

/** A version with a hyphen is for those who ask for it. */
const channelOf = (version) => (version.includes('-') ? 'next' : 'latest');

/** Tells the workflow's next steps. */
function tellWorkflow(values) {
  const { GITHUB_OUTPUT: path } = process.env;
  if (path === undefined) return;
  for (const [name, value] of Object.entries(values)) appendFileSync(path, `${name}=${value}\n`);
}

/** Package, SBOM and checksums. What is packed twice must be the same. Returns their names. */
export function makeFiles(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  execFileSync(process.execPath, ['scripts/build.js'], { cwd: ROOT, stdio: 'inherit' });
  const [first, second] = [pack(folder), packElsewhere()];
  const hash = hashOf(join(folder, first));
  if (hash !== second) throw new Error(`Packed twice, ${first} is ${hash} and ${second}.`);
  const sbom = first.replace(/\.tgz$/, '.cdx.json');
  writeFileSync(join(folder, sbom), billOfMaterials());
  const names = [first, sbom];
  const sums = names.map((name) => `${hashOf(join(folder, name))}  ${name}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  return { tarball: first, names: [...names, 'SHA256SUMS'], hash };
}

function pack(folder) {
  return npm(['pack', '--ignore-scripts', '--silent', '--pack-destination', folder]).trim();
}

function packElsewhere() {
  const folder = mkdtempSync(join(tmpdir(), 'payment-retry-pack-'));
  try {
    return hashOf(join(folder, pack(folder)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * CycloneDX, with hashes and licenses: what an installation has, and what the bundle holds. npm's own `--omit=dev` leaves out most of
 * the first, and all of the second.
 */
function billOfMaterials() {
  const { name, version } = JSON.parse(read('package.json'));
  const sbom = JSON.parse(
    npm(['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only']),
  );
  const isDev = ({ properties = [] }) => properties.some((one) => one.name === 'cdx:npm:package:development');
  const bundled = new Set(
    [...read('dist/third-party-licenses.txt').matchAll(/^(\S+) (\d+\.\d+\.\S+) \(/gm)].map(
      ([, one, its]) => `${one}@${its}`,
    ),
  );
  const isLeft = (component) => isDev(component) && !bundled.has(`${component.name}@${component.version}`);
  const left = new Set(sbom.components.filter(isLeft).map((component) => component['bom-ref']));
  // npm names the folder.
  const component = { ...sbom.metadata.component, name, version };
  const whole = {
    ...sbom,
    metadata: { ...sbom.metadata, component },
    components: sbom.components.filter((one) => !left.has(one['bom-ref'])),
    dependencies: sbom.dependencies
      .filter(({ ref }) => !left.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => !left.has(one)) })),
  };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

function hashOf(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** `npm version` calls it: the changelog gets today's date, and the files with an image the version. */
function prepare() {
  const { version } = JSON.parse(read('package.json'));
  const today = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length);
  const changelog = read('CHANGELOG.md').replace(
    `## ${version} (not released yet)`,
    `## ${version} (${today})`,
  );
  writeFileSync(join(ROOT, 'CHANGELOG.md'), changelog);
  for (const path of WITH_IMAGE)
    writeFileSync(join(ROOT, path), read(path).replaceAll(IMAGE, `$1:${version}`));
  writeFileSync(join(ROOT, CHART), read(CHART).replaceAll(OF_CHART, `$1${version}`));
}

/** Replaces what package.json names now, wherever it is named. Returns the files. */
function nameRepository(name) {
  if (!/^[\w-]+\/[\w.-]+$/.test(name)) throw new Error(`${name} is not owner/name.`);
  const now = repositoryOf();
  const all = ['docs', 'src', 'manifest'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  );
  const named = ['package.json', 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...all].filter(
    (path) => statSync(join(ROOT, path)).isFile() && read(path).includes(`github.com/${now}`),
  );
  for (const path of named)
    writeFileSync(join(ROOT, path), read(path).replaceAll(`github.com/${now}`, `github.com/${name}`));
  return named;
}

function repositoryOf() {
  const { repository } = JSON.parse(read('package.json'));
  return /github\.com\/(.+)\.git$/.exec(repository.url)[1];
}

/** `npm publish` to a registry on this machine that keeps nothing. Returns the sha512 of what arrived. */
export async function publishHere(tarball, channel) {
  const uploads = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    if (request.method === 'PUT') uploads.push(JSON.parse(body.toString('utf8')));
    response.writeHead(request.method === 'PUT' ? 201 : 404, { 'content-type': 'application/json' });
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const folder = mkdtempSync(join(tmpdir(), 'payment-retry-publish-'));
  try {
    const host = `127.0.0.1:${server.address().port}`;
    const config = join(folder, 'npmrc');
    writeFileSync(config, `registry=http://${host}/\n//${host}/:_authToken=not-a-token\n`);
    const args = ['publish', tarball, '--access=public', `--tag=${channel}`, `--userconfig=${config}`];
    await promisify(execFile)('npm', args, { cwd: folder, shell: process.platform === 'win32' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    server.close();
    server.closeAllConnections();
  }
  const [upload] = uploads;
  const [attached] = Object.values(upload._attachments);
  const sha512 = createHash('sha512').update(Buffer.from(attached.data, 'base64')).digest('hex');
  return { tags: upload['dist-tags'], sha512 };
}

/** All that needs no account. What it cannot do here, it says. */
async function dryRun(folder) {
  const { version } = JSON.parse(read('package.json'));
  const tag = `v${version}`;
  say(`1. Checks of ${tag}`);
  const problems = listProblems(tag, process.env.GITHUB_REPOSITORY);
  say(
    problems.length === 0
      ? '   The tag can be pushed.'
      : problems.map((one) => `   To do: ${one}`).join('\n'),
  );
  say(`2. Notes: ${notesOf(tag).split('\n').length} lines, of CHANGELOG.md`);
  const { tarball, names, hash } = makeFiles(folder);
  say(`3. Files: ${names.join(', ')} in ${folder}`);
  say(`   Packed twice with one result: ${hash}`);
  const { components } = JSON.parse(readFileSync(join(folder, names[1]), 'utf8'));
  say(`   The SBOM lists ${components.length} packages.`);
  const { tags, sha512 } = await publishHere(join(folder, tarball), channelOf(version));
  const arrived =
    createHash('sha512')
      .update(readFileSync(join(folder, tarball)))
      .digest('hex') === sha512;
  if (!arrived) throw new Error('What was published is not what was packed.');
  say(
    `4. Published to a registry on this machine, as ${Object.keys(tags).join(', ')}: the same bytes arrived.`,
  );
  say(`5. Image: ${buildImage(version)}`);
  say('Not tried, as they need an account: provenance, the signatures, and the release on GitHub.');
}

function buildImage(version) {
  const docker = (args) =>
    execFileSync('docker', args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
  try {
    execFileSync('docker', ['info'], { stdio: 'ignore' });
  } catch {
    return 'no Docker answers here. `TEST_ALL=1 npm run jest -- test/image.test.ts` takes the steps of the Dockerfile without it.';
  }
  const name = `stripe-payment-retry:${version}-dry-run`;
  docker(['build', '--tag', name, '.']);
  return `built; it says ${docker(['run', '--rm', name, '--version']).trim()}.`;
}

async function main([command, first]) {
  if (command === 'check' && first !== undefined) return check(first);
  if (command === 'notes' && first !== undefined) return process.stdout.write(notesOf(first));
  if (command === 'files') return makeFiles(resolve(ROOT, first ?? 'release'));
  if (command === 'prepare') return prepare();
  if (command === 'repository' && first !== undefined) return nameRepository(first).forEach(say);
  if (command === 'dry-run') return dryRun(resolve(ROOT, first ?? 'release'));
  process.exitCode = 2;
  return say(
    'node scripts/release.js check TAG | notes TAG | files [FOLDER] | prepare | repository OWNER/NAME | dry-run [FOLDER]',
  );
}

function check(tag) {
  const problems = listProblems(tag, process.env.GITHUB_REPOSITORY);
  for (const problem of problems) say(problem);
  if (problems.length > 0) process.exitCode = 1;
  else tellWorkflow({ version: tag.slice(1), channel: channelOf(tag) });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));

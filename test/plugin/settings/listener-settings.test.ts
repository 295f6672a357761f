import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { ConfigError } from '../../../src/core/base/errors.ts';
import { loadConfig, loadServiceConfig } from '../../../src/plugin/settings/config.ts';
import type { SettingOptions } from '../../../src/plugin/settings/schema/setting-options.ts';
import { TLS_CERT, TLS_KEY } from '../../support/http/tls-files.ts';

const PLUGIN = {
  retryMode: 'advisory' as const,
  stripeSecretKey: 'sk_test_1',
  stripeWebhookSecret: 'whsec_1',
};
const SERVICE = {
  retryServiceApiKey: 'key-0123456789-abcdefghij',
  recoveryCallbackToken: 'token-0123456789-abcdefgh',
  publicUrl: 'http://localhost:1',
};

const load = (settings: SettingOptions) => loadConfig({ ...PLUGIN, ...settings }, {});

function problemsOf(start: () => unknown): readonly string[] {
  try {
    start();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

/** The plugin and the stand-alone service must object alike. */
function problemsWith(settings: SettingOptions): readonly string[] {
  const problems = problemsOf(() => load(settings));
  expect(problemsOf(() => loadServiceConfig({ ...SERVICE, ...settings }, {}))).toEqual(problems);
  return problems;
}

describe('TRUST_PROXY', () => {
  test.each<[SettingOptions['trustProxy'], string | number | undefined]>([
    ['1', 1],
    [2, 2],
    ['0', 0],
    ['false', undefined],
    [false, undefined],
    ['', undefined],
    ['loopback', 'loopback'],
    ['loopback, linklocal, uniquelocal', 'loopback, linklocal, uniquelocal'],
    ['10.0.0.7', '10.0.0.7'],
    ['10.0.0.0/8,fd00::/8', '10.0.0.0/8,fd00::/8'],
    ['10.0.0.0/255.0.0.0', '10.0.0.0/255.0.0.0'],
  ])('TRUST_PROXY may be %j, and Express takes it', (trustProxy, expected) => {
    expect(problemsWith({ trustProxy })).toEqual([]);
    const taken = load({ trustProxy }).trustProxy;
    expect(taken).toBe(expected);
    express().set('trust proxy', taken);
  });

  test.each<[unknown]>([
    ['yes'],
    ['true'],
    [true],
    ['-1'],
    [1.5],
    ['1000'],
    ['1,2'],
    ['10.0.0.1/33'],
    ['10.0.0.0/0'],
    ['::/0'],
    ['10.0.0'],
    ['proxy.example'],
    ['loopback,'],
    ['Loopback'],
  ])('TRUST_PROXY must not be %j', (trustProxy) => {
    const unchecked: SettingOptions = JSON.parse(JSON.stringify({ trustProxy }));
    expect(problemsWith(unchecked)).toEqual([
      expect.stringMatching(/^server\.trustProxy must be the number of proxies .*loopback/),
    ]);
  });
});

describe('HOST', () => {
  test.each(['127.0.0.1', '0.0.0.0', '::', '::1', 'fe80::1%eth0', 'localhost', 'web_1', 'billing.example'])(
    'HOST may be %s',
    (host) => {
      expect(problemsWith({ host })).toEqual([]);
    },
  );

  test.each(['256.1.1.1', '10.0.0', '[::1]', 'localhost:8080', 'http://localhost', 'two words', '*'])(
    'HOST must not be %s',
    (host) => {
      expect(problemsWith({ host })).toEqual([
        expect.stringMatching(/^server\.host must be an address or a host name/),
      ]);
    },
  );
});

test('the two ports of one process are different, unless any will do', () => {
  const problem = /^service\.port must be another port than (server\.port|PORT), which is \d+$/;
  expect(problemsOf(() => load({ port: 9000, servicePort: 9000 }))).toEqual([expect.stringMatching(problem)]);
  expect(problemsOf(() => load({ servicePort: 8080 }))).toEqual([expect.stringMatching(problem)]);
  expect(problemsOf(() => load({ port: 0, servicePort: 0 }))).toEqual([]);
  const remote = { retryServiceUrl: 'https://service.example', ...SERVICE };
  expect(problemsOf(() => load({ ...remote, port: 8090, servicePort: 8090 }))).toEqual([]);
});

describe('TLS_CERT and TLS_KEY', () => {
  const directory = mkdtempSync(join(tmpdir(), 'payment-retry-tls-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const write = (name: string, text: string) => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  };
  const missing = join(directory, 'missing.pem');
  const keyOf = (options?: { cipher: string; passphrase: string }) =>
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
      ...options,
    });
  const otherKey = write('other-key.pem', String(keyOf()));
  const lockedKey = write('locked-key.pem', String(keyOf({ cipher: 'aes-256-cbc', passphrase: 'of tests' })));
  const nonsense = write(
    'nonsense.pem',
    '-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n',
  );

  test('TLS_CERT and TLS_KEY are read before anything starts', () => {
    const config = load({ tlsCert: TLS_CERT, tlsKey: TLS_KEY });
    expect(config.tls).toEqual({ cert: readFileSync(TLS_CERT, 'utf8'), key: readFileSync(TLS_KEY, 'utf8') });
  });

  test.each<[string, SettingOptions, RegExp[]]>([
    ['the certificate alone', { tlsCert: TLS_CERT }, [/^TLS_KEY is required with server\.tlsCert/]],
    ['the key alone', { tlsKey: TLS_KEY }, [/^TLS_CERT is required with server\.tlsKey/]],
    [
      'files that are not there',
      { tlsCert: missing, tlsKey: missing },
      [
        /^server\.tlsCert must be .*missing\.pem cannot be read \(ENOENT\)$/,
        /^server\.tlsKey must be .*\(ENOENT\)$/,
      ],
    ],
    ['a folder', { tlsCert: directory, tlsKey: TLS_KEY }, [/^server\.tlsCert must be .*\(EISDIR\)$/]],
    [
      'no certificate',
      { tlsCert: nonsense, tlsKey: TLS_KEY },
      [/^server\.tlsCert must be a certificate in PEM form/],
    ],
    [
      'no key',
      { tlsCert: TLS_CERT, tlsKey: TLS_CERT },
      [/^server\.tlsKey must be a private key in PEM form/],
    ],
    [
      'a locked key',
      { tlsCert: TLS_CERT, tlsKey: lockedKey },
      [/^server\.tlsKey must be .*with no passphrase$/],
    ],
    [
      'the key of another certificate',
      { tlsCert: TLS_CERT, tlsKey: otherKey },
      [/^server\.tlsKey must be the private key of the certificate in server\.tlsCert/],
    ],
  ])('TLS_CERT and TLS_KEY with %s are refused, with what to do', (_what, settings, problems) => {
    expect(problemsWith(settings)).toEqual(problems.map((problem) => expect.stringMatching(problem)));
  });
});

test.each(['retryServiceApiKey', 'recoveryCallbackToken'])(
  '%s is what a header can carry, and is not repeated',
  (name) => {
    for (const remote of [{}, { ...SERVICE, retryServiceUrl: 'https://service.example' }])
      for (const value of ['two words', 'schl\u00fcssel', 'a\nb']) {
        const problems = problemsOf(() => load({ ...remote, [name]: value }));
        expect(problems).toEqual([expect.stringMatching(/ must be printable characters without spaces$/)]);
      }
  },
);

test('a weak RETRY_SERVICE_API_KEY is refused where it is chosen, and taken from the service that issued it', () => {
  for (const retryServiceApiKey of ['1234', '1234'.repeat(8)]) {
    const settings = { ...SERVICE, retryServiceApiKey };
    expect(problemsOf(() => loadServiceConfig(settings, {}))).toEqual([
      expect.stringContaining('service.key must have at least 24 characters'),
    ]);
    expect(problemsOf(() => load({ ...settings, retryServiceUrl: 'https://service.example' }))).toEqual([]);
  }
});

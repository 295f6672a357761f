/** The address and form of a listening process. Every possible refusal happens here, before anything starts. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { Tls } from '../../core/web/http-server.ts';
import { readNamedFile } from './schema/setting-files.ts';
import type { SettingReader } from './setting-reader.ts';

export interface Listener {
  readonly host: string;
  readonly tls: Tls | undefined;
  /** A value of Express's `trust proxy`. */
  readonly trustProxy: string | number | undefined;
}

/** Port of the retry service in `start` and `service`. */
export const USUAL_SERVICE_PORT = 8090;

export function readListener(read: SettingReader): Listener {
  return { host: read.get('HOST'), tls: readTls(read), trustProxy: read.get('TRUST_PROXY') };
}

function readTls(read: SettingReader): Tls | undefined {
  const certPath = read.optional('TLS_CERT');
  const keyPath = read.optional('TLS_KEY');
  if (certPath === undefined && keyPath === undefined) return undefined;
  if (keyPath === undefined) read.problem('TLS_KEY', 'is required with TLS_CERT; give the private key file');
  if (certPath === undefined) read.problem('TLS_CERT', 'is required with TLS_KEY; give the certificate file');
  const cert = certPath && readPem(read, 'TLS_CERT', certPath);
  const key = keyPath && readPem(read, 'TLS_KEY', keyPath);
  if (!cert || !key) return undefined;
  checkPair(read, { cert, key });
  return { cert, key };
}

function readPem(read: SettingReader, name: 'TLS_CERT' | 'TLS_KEY', path: string): string | undefined {
  return readNamedFile(path, (why) => read.problem(name, `must be the path of a PEM file; ${path} ${why}`));
}

/** OpenSSL's own words name neither the file nor what to do. */
function checkPair(read: SettingReader, { cert, key }: Tls): void {
  const certificate = orUndefined(() => new X509Certificate(cert));
  const privateKey = orUndefined(() => createPrivateKey(key));
  if (!certificate)
    read.problem('TLS_CERT', 'must be a certificate in PEM form, -----BEGIN CERTIFICATE-----');
  if (!privateKey)
    read.problem(
      'TLS_KEY',
      'must be a private key in PEM form, -----BEGIN PRIVATE KEY-----, with no passphrase',
    );
  if (!certificate || !privateKey) return;
  if (!certificate.checkPrivateKey(privateKey))
    read.problem('TLS_KEY', 'must be the private key of the certificate in TLS_CERT, which this is not');
  else if (!orUndefined(() => createSecureContext({ cert, key })))
    read.problem('TLS_CERT', 'must be a certificate that this version of Node takes for HTTPS');
}

function orUndefined<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** Where a process of ours listens, and how. Whatever can be refused about it is refused here, before anything starts. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import express from 'express';
import { z } from 'zod';
import { codeOf } from '../kit/errors.ts';
import type { SettingReader } from './setting-reader.ts';

export interface Listener {
  readonly host: string;
  readonly tls: Tls | undefined;
  /** As Express's `trust proxy` takes it. */
  readonly trustProxy: string | number | undefined;
}

/** Of the retry service in `start` and `service`. */
export const USUAL_SERVICE_PORT = 8090;

/** PEM texts. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

export function readListener(read: SettingReader): Listener {
  return { host: read.get('HOST'), tls: readTls(read), trustProxy: readTrustProxy(read) };
}

const HOST_NAME = /^[\w.-]+$/;
const DIGITS_AND_DOTS = /^[\d.]+$/;

export const NO_HOST = 'must be an address or a host name of this machine, without a port';

export function isHost(value: string): boolean {
  return isIP(value) !== 0 || (HOST_NAME.test(value) && !DIGITS_AND_DOTS.test(value));
}

/** Names of address ranges that Express knows. */
const RANGES: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

const NO_PROXIES =
  'must be the number of proxies in front (1), or their addresses, subnets, loopback, linklocal, uniquelocal, with commas between';

/** `true` is refused: Express would then believe the headers of whoever asks. */
export function trustProxy() {
  return z
    .union([z.string(), z.number(), z.literal(false)])
    .refine((value) => isTrustable(parseProxies(String(value))), NO_PROXIES);
}

function readTrustProxy(read: SettingReader): string | number | undefined {
  const value = read.get('TRUST_PROXY');
  return value === undefined ? undefined : parseProxies(String(value));
}

function parseProxies(text: string): string | number | undefined {
  if (text === 'false') return undefined;
  return /^\d{1,2}$/.test(text) ? Number(text) : text;
}

function isTrustable(proxies: string | number | undefined): boolean {
  if (typeof proxies !== 'string') return true;
  const parts = proxies.split(',').map((part) => part.trim());
  if (!parts.every((part) => RANGES.has(part) || isIP(part.split('/')[0] ?? '') !== 0)) return false;
  try {
    express().set('trust proxy', proxies);
    return true;
  } catch {
    return false;
  }
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
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = codeOf(error) === undefined ? '' : ` (${codeOf(error)})`;
    read.problem(name, `must be the path of a PEM file; ${path} cannot be read${code}`);
    return undefined;
  }
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

/** HOST and TRUST_PROXY: where a process listens, and whose word it takes about who asks. */
import { isIP } from 'node:net';
import express from 'express';
import { z } from 'zod';

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
    .refine((value) => isTrustable(parseProxies(String(value))), NO_PROXIES)
    .transform((value) => parseProxies(String(value)));
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

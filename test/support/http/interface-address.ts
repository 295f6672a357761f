import { networkInterfaces } from 'node:os';

/**
 * An IPv4 address of this machine that is not loopback, or undefined. What is sent to it does not leave the machine, and
 * comes from it: to a server there it is another machine's.
 */
export function findInterfaceAddress(): string | undefined {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}

/** Whether a server can listen on `::`. */
export function hasIpv6(): boolean {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .some(({ family }) => family === 'IPv6');
}

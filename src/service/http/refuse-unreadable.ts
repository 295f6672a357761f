/** What cannot be read as HTTP gets an answer of the usual form too, and a name in the log. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Refusal } from '../../contract/contract.ts';
import type { Logger } from '../../kit/logger.ts';

const REASONS: ReadonlyMap<string, { status: number; message: string }> = new Map([
  ['HPE_HEADER_OVERFLOW', { status: 431, message: 'The headers are too large.' }],
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: 408, message: 'The request did not arrive in time.' }],
]);
const UNREADABLE = { status: 400, message: 'The request is not HTTP.' };

export function refuseUnreadable(logger: Logger): (error: Error, socket: Duplex) => void {
  return (error, socket) => {
    const code = 'code' in error ? String(error.code) : '';
    if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const { status, message } = REASONS.get(code) ?? UNREADABLE;
    const requestId = randomUUID();
    logger.info({ requestId, status, code }, 'a request could not be read');
    const refusal: Refusal = { success: false, message, requestId };
    const body = JSON.stringify(refusal);
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `X-Request-Id: ${requestId}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  };
}

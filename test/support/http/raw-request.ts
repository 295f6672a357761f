import { type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface RawAnswer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface RawRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends a path as it is written: `fetch` would tidy it up. */
export function requestRaw(base: string, path: string, options: RawRequest = {}): Promise<RawAnswer> {
  const { hostname, port } = new URL(base);
  const host = hostname.replace(/^\[|\]$/g, '');
  const { method = 'GET', headers = {}, body } = options;
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, path, method, headers, agent: false }, (response) => {
      text(response).then(
        (read) => resolve({ status: response.statusCode, headers: response.headers, body: read }),
        reject,
      );
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** What EVENTS_URL names in tests: keeps what it is sent, and answers as it is told. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listenOnLoopback } from './loopback-server.ts';

export async function startReceiver() {
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, body });
      if (receiver.isSilent) server.emit('held');
      else response.writeHead(receiver.status).end();
    });
  });
  const url = await listenOnLoopback(server);
  const receiver = {
    url,
    received,
    status: 200,
    /** Takes what comes, and does not answer. */
    isSilent: false,
    held: () => once(server, 'held'),
    stop: () => closeServer(server),
  };
  return receiver;
}

/** The plugin's paths in an application of any kind: Express 4 and 5, Connect, or Node's own server. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Request, type RequestHandler } from 'express';

/** Node's request handler. `next`, where given, gets requests for other paths; otherwise these are answered with 404. */
export type HostRouter = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => void;

/** Express has prepared the request, and Connect has cut its prefix off; to a plain server it comes whole. */
export function toHostRouter(router: RequestHandler, { pathname }: URL): HostRouter {
  let underConnect: HostRouter | undefined;
  let alone: HostRouter | undefined;
  return (request, response, next) => {
    if (isOfExpress(request) && request.res) return router(request, request.res, next ?? ignore);
    if ('originalUrl' in request) {
      underConnect ??= withoutHost(router, '/');
      return underConnect(request, response, next);
    }
    alone ??= withoutHost(router, pathname);
    return alone(request, response, next);
  };
}

const isOfExpress = (request: IncomingMessage): request is Request =>
  'app' in request && 'baseUrl' in request;

const ignore = () => {};

/** Trusts a proxy on this machine. */
export function withoutHost(router: RequestHandler, pathname: string): HostRouter {
  return express().set('trust proxy', 'loopback').disable('x-powered-by').use(pathname, router);
}

/** `/metrics`, and how long answers take. */
import express, { type RequestHandler, type Router } from 'express';
import { UnauthorizedError } from '../base/errors.ts';
import type { Measures } from '../telemetry/measures.ts';
import type { LabelsOf, ProcessHistogram } from '../telemetry/metric-table.ts';
import { inSpan, noteStatus, SpanKind, traceOfCaller } from '../telemetry/spans.ts';
import type { LimitGuesses } from './guess-limit.ts';
import { isSameSecret } from './same-secret.ts';

export interface MetricsPlace {
  /** Bearer token. */
  readonly token: string;
  readonly measures: Measures;
  /** Reads the database's figures before each answer. */
  collect(): Promise<void>;
}

export function createMetricsRouter(
  { token, measures, collect }: MetricsPlace,
  limitGuesses: LimitGuesses,
): Router {
  const router = express.Router();
  router.get('/metrics', async (req, res) => {
    const credential = req.get('authorization') ?? '';
    const isRight = isSameSecret(credential, `Bearer ${token}`);
    await limitGuesses(req, { credential, isRight, refusal: new UnauthorizedError() });
    await collect();
    const { type, text } = await measures.expose();
    res.type(type).send(text);
  });
  return router;
}

/** Times from here to the answer; a request whose sender leaves first has none. */
export function timeAnswers<Name extends ProcessHistogram>(
  measures: Measures,
  name: Name,
  labels: (status: string) => LabelsOf<Name>,
): RequestHandler {
  return (_req, res, next) => {
    const begin = performance.now();
    res.once('finish', () =>
      measures.observe(name, labels(String(res.statusCode)), (performance.now() - begin) / 1000),
    );
    next();
  };
}

/** Opens a server span from here to the answer, in the caller's trace. It follows authentication: a stranger opens none. */
export function traceAnswers(name: string): RequestHandler {
  return (request, response, next) => {
    const parent = traceOfCaller(request.headers);
    void inSpan(name, { kind: SpanKind.SERVER, parent }, () => {
      const closed = new Promise<void>((resolve) => response.once('close', resolve));
      next();
      return closed.then(() => noteStatus(response.statusCode));
    });
  };
}

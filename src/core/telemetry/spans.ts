/**
 * Traces by OpenTelemetry's API alone: the SDK that the host application or `startTracing` registers decides their fate.
 * Without one nothing is kept. Attributes are ids and codes, as in the log.
 */
import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { isError } from '../base/errors.ts';

export { SpanKind } from '@opentelemetry/api';

/** A job's trace in the form of W3C Trace Context. */
export interface Carried {
  readonly traceparent?: string;
}

interface SpanOptions {
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  readonly parent?: Context;
  /** What led to it long ago. */
  readonly after?: Context;
}

/** Ends with the work. Of an error only its kind and code are kept: its message may name a person. */
export function inSpan<Result>(
  name: string,
  { kind = SpanKind.INTERNAL, attributes = {}, parent = context.active(), after }: SpanOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const earlier = after && trace.getSpanContext(after);
  const links = earlier ? [{ context: earlier }] : [];
  const tracer = trace.getTracer('stripe-payment-retry');
  return tracer.startActiveSpan(name, { kind, attributes, links }, parent, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.setAttribute('error.type', kindOf(error));
      throw error;
    } finally {
      span.end();
    }
  });
}

function kindOf(error: unknown): string {
  if (!isError(error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

export function carryTrace(): Carried {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent === undefined ? {} : { traceparent: carrier.traceparent };
}

/** The context of a request: the active one, which a host application made from the same header, or the caller's trace. */
export function traceOfCaller({ traceparent }: Readonly<Record<string, unknown>>): Context {
  if (trace.getActiveSpan() || typeof traceparent !== 'string') return context.active();
  return propagation.extract(ROOT_CONTEXT, { traceparent });
}

/** Adds facts that are known only when the active span's work is done. */
export function noteStatus(status: number): void {
  const span = trace.getActiveSpan();
  span?.setAttribute('http.response.status_code', status);
  if (status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
}

const LONG_AGO_MS = 3_600_000;

/** A job goes on with the trace that asked for it; one that was planned for later has its own, and points to that. */
export function traceOf(data: object, ageMs: number): Pick<SpanOptions, 'parent' | 'after'> {
  const { traceparent }: { traceparent?: unknown } = data;
  if (typeof traceparent !== 'string') return { parent: ROOT_CONTEXT };
  const asked = propagation.extract(ROOT_CONTEXT, { traceparent });
  return ageMs < LONG_AGO_MS ? { parent: asked } : { parent: ROOT_CONTEXT, after: asked };
}

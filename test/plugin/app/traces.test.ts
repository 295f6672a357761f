/** Traces, as a receiver of OTLP over HTTP gets them. */
import { context, propagation, trace } from '@opentelemetry/api';
import { z } from 'zod';
import { silentLogger } from '../../../src/core/base/logger.ts';
import { startTracing } from '../../../src/core/telemetry/start-tracing.ts';
import { asksForTraces } from '../../../src/plugin/settings/config.ts';
import { declinesTimes } from '../../../src/workbench/sandbox/payment-behaviour.ts';
import { startReceiver } from '../../support/http/event-receiver.ts';
import { failingInvoice, statusOf } from '../../support/scenario.ts';
import { createWorld } from '../../support/world.ts';

const VARIABLE = 'OTEL_EXPORTER_OTLP_ENDPOINT';

const spanShape = z.object({
  name: z.string(),
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  kind: z.number(),
  attributes: z.array(z.object({ key: z.string(), value: z.unknown() })).default([]),
  links: z.array(z.object({ traceId: z.string() })).default([]),
});
const exported = z.object({
  resourceSpans: z.array(z.object({ scopeSpans: z.array(z.object({ spans: z.array(spanShape) })) })),
});

afterEach(() => {
  delete process.env[VARIABLE];
  trace.disable();
  context.disable();
  propagation.disable();
});

test('a trace goes from the webhook through its jobs to Stripe and the service, and names nobody', async () => {
  const receiver = await startReceiver();
  process.env[VARIABLE] = receiver.url;
  expect(asksForTraces(process.env)).toBe(true);
  const end = startTracing(silentLogger);
  const world = await createWorld();
  try {
    const { invoiceId, customerId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'), {
      email: 'customermark@shop.example',
      name: 'Customermark Person',
    });
    await world.advance({ days: 6 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    await end();
    const bodies = receiver.received.map(({ body }) => body);
    expect(bodies.join('').match(/customermark|sk_test|whsec/gi)).toBeNull();
    expect(bodies.join('')).not.toContain(customerId);
    const spans = bodies.flatMap((body) =>
      exported
        .parse(JSON.parse(body))
        .resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    );
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    const pathOf = (span: (typeof spans)[number] | undefined): string[] =>
      span ? [...pathOf(byId.get(span.parentSpanId ?? '')), span.name] : [];
    const paths = new Set(spans.map((span) => pathOf(span).join(' > ')));
    expect([...paths]).toEqual(
      expect.arrayContaining([
        'POST /webhooks/stripe > job take-events > job process-event',
        expect.stringMatching(/^POST \/webhooks\/stripe > job take-events > .*service subscriptions$/),
        // The embedded service's own part of it, and its instruction on the way back.
        expect.stringMatching(/service transactions > POST transactions > .*job send$/),
        expect.stringMatching(/job send > callback > POST \/recovery_action > job schedule-instruction$/),
        expect.stringMatching(/job execute-action > attempt > Stripe POST invoices$/),
      ]),
    );
    const [callback] = spans.filter(({ name }) => name === 'POST /recovery_action');
    expect(callback).toMatchObject({ kind: 2, attributes: [{ value: { intValue: 200 } }] });
    // What was planned for a later day is a trace of its own, which points to the one that asked for it.
    const carriedOut = spans.filter(({ name }) => name === 'job execute-action');
    expect(
      carriedOut.filter(({ links }) => spans.some(({ traceId }) => traceId === links[0]?.traceId)),
    ).not.toEqual([]);
  } finally {
    await world.stop();
    await receiver.stop();
  }
});

test.each([
  [{}, false],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://localhost:4318/v1/traces' }, true],
  [{ [VARIABLE]: 'http://localhost:4318', OTEL_TRACES_EXPORTER: 'none' }, false],
  [{ [VARIABLE]: 'http://localhost:4318', OTEL_SDK_DISABLED: 'true' }, false],
])('of %j, whether traces are sent is %s', (environment, isAsked) => {
  expect(asksForTraces(environment)).toBe(isAsked);
});

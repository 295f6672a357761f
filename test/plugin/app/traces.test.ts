/** One payment through the embedded service: its traces, as a receiver of OTLP over HTTP gets them, and no open port. */
import { Server } from 'node:net';
import { mock } from 'node:test';
import { context, propagation, trace } from '@opentelemetry/api';
import { z } from 'zod';
import { silentLogger } from '../../../src/core/base/logger.ts';
import { startTracing } from '../../../src/core/telemetry/start-tracing.ts';
import { asksForTraces } from '../../../src/plugin/settings/config.ts';
import { declinesTimes } from '../../../src/workbench/sandbox/payment-behaviour.ts';
import { startReceiver } from '../../support/http/event-receiver.ts';
import { failingInvoice, statusOf } from '../../support/scenario.ts';
import { createWorld, type World } from '../../support/world.ts';

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

describe('from the failed payment to its instruction and the payment', () => {
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let world: World;
  let customerId: string;
  let listened: unknown[];

  beforeAll(async () => {
    receiver = await startReceiver();
    process.env[VARIABLE] = receiver.url;
    const end = startTracing(silentLogger);
    world = await createWorld();
    const listening = mock.method(Server.prototype, 'listen');
    await world.plugin.stop();
    await world.plugin.start();
    const failed = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'), {
      email: 'customermark@shop.example',
      name: 'Customermark Person',
    });
    ({ customerId } = failed);
    await world.advance({ days: 6 });
    expect(statusOf(world, failed.invoiceId)).toBe('paid');
    await end();
    listened = listening.mock.calls.map(({ arguments: [place] }) => place);
    listening.mock.restore();
  });
  afterAll(async () => {
    delete process.env[VARIABLE];
    mock.restoreAll();
    trace.disable();
    context.disable();
    propagation.disable();
    await world?.stop();
    await receiver?.stop();
  });

  test('an application opens no port for the service', async () => {
    const sent = `select 1 from retry_service.recovery_actions where status = 'SUCCEEDED'`;
    expect(await world.query(sent)).toHaveLength(1);
    expect(world.plugin.parts.service?.url).toBeUndefined();
    // The socket for commands and the lock, in the folder of an embedded database, have a path.
    expect(listened.filter((place) => !isPath(place))).toEqual([]);
  });

  test('a trace goes from the webhook through its jobs to Stripe and the service, and names nobody', () => {
    expect(asksForTraces(process.env)).toBe(true);
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
  });
});

function isPath(place: unknown): boolean {
  return typeof place === 'string' || (typeof place === 'object' && place !== null && 'path' in place);
}

test.each([
  [{}, false],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://localhost:4318/v1/traces' }, true],
  [{ [VARIABLE]: 'http://localhost:4318', OTEL_TRACES_EXPORTER: 'none' }, false],
  [{ [VARIABLE]: 'http://localhost:4318', OTEL_SDK_DISABLED: 'true' }, false],
])('of %j, whether traces are sent is %s', (environment, isAsked) => {
  expect(asksForTraces(environment)).toBe(isAsked);
});

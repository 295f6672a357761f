/** Sends traces by OTLP over HTTP, as OpenTelemetry's own variables say. For a process of our own: elsewhere the application does it. */
import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { type DiagLogger, DiagLogLevel, diag } from '@opentelemetry/api';
import { codeOf } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';

/** A receiver that does not answer must not hold up the end of the process. */
const LAST_SPANS_MS = 1_000;
const LOG_EVERY_MS = 3_600_000;

/** Returns what sends the rest, and ends. Without OpenTelemetry's packages, which come with no installation of ours, the log says so. */
export function startTracing(logger: Pick<Logger, 'warn'>): () => Promise<void> {
  const parts = findParts();
  if (parts) return sendTraces(parts, logger);
  logger.warn(
    { help: `npm install ${PACKAGES.join(' ')}, or set OTEL_SDK_DISABLED=true` },
    "traces are asked for, and OpenTelemetry's packages are not installed: none are sent",
  );
  return async () => {};
}

const SDK = '@opentelemetry/sdk-trace-node';
const EXPORTER = '@opentelemetry/exporter-trace-otlp-http';
const RESOURCES = '@opentelemetry/resources';
const PACKAGES = [SDK, EXPORTER, RESOURCES];

type Parts = typeof import('@opentelemetry/sdk-trace-node') &
  typeof import('@opentelemetry/exporter-trace-otlp-http') &
  typeof import('@opentelemetry/resources');

/** Loaded here, and nowhere else; by a name that no bundler follows. */
function findParts(): Parts | undefined {
  const load: (name: string) => Parts = createRequire(import.meta.url);
  try {
    return { ...load(SDK), ...load(EXPORTER), ...load(RESOURCES) };
  } catch (error) {
    if (codeOf(error) === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function sendTraces(parts: Parts, logger: Pick<Logger, 'warn'>) {
  const { BatchSpanProcessor, NodeTracerProvider, OTLPTraceExporter } = parts;
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = parts;
  const own = resourceFromAttributes({ 'service.name': 'stripe-payment-retry' });
  const provider = new NodeTracerProvider({
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const lossLog = createLossLog(logger);
  diag.setLogger(lossLog, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
  provider.register();
  return (): Promise<void> =>
    Promise.race([provider.shutdown().catch((error) => lossLog.error(String(error))), pause(LAST_SPANS_MS)]);
}

/** OpenTelemetry reports each batch that was lost, every few seconds: one line an hour is enough. */
function createLossLog(logger: Pick<Logger, 'warn'>): DiagLogger {
  let loggedAt = Number.NEGATIVE_INFINITY;
  const nothing = () => {};
  return {
    error: (what) => {
      const now = performance.now();
      if (now - loggedAt < LOG_EVERY_MS) return;
      loggedAt = now;
      logger.warn(
        { reason: reasonOf(what) },
        'traces are lost: the receiver does not take them; look at OTEL_EXPORTER_OTLP_ENDPOINT',
      );
    },
    warn: nothing,
    info: nothing,
    debug: nothing,
    verbose: nothing,
  };
}

/** An error comes as JSON of all that it has, a receiver's answer among it. */
function reasonOf(what: string): string {
  const [, code] = /"code":"([\w-]+)"/.exec(what) ?? [];
  const [, message] = /"message":"([^"]*)"/.exec(what) ?? [];
  return code ?? message ?? what;
}

/** The stand-alone process: the plugin behind HTTP or HTTPS, with a graceful stop. */
import express, { type Express } from 'express';
import helmet from 'helmet';
import { PluginError } from '../../core/base/errors.ts';
import { toLogger } from '../../core/base/given-logger.ts';
import { createLogger, guardLogger, type Logger } from '../../core/base/logger.ts';
import { answerErrors, answerNotFound } from '../../core/web/http-errors.ts';
import { addressOf, closeServer, createTransport, listen } from '../../core/web/http-server.ts';
import type { Config } from '../settings/config.ts';
import { USUAL_SERVICE_PORT } from '../settings/listener-settings.ts';
import { createOwnPlugin, type OwnOptions, type OwnPlugin } from './own-plugin.ts';

export interface RunningServer {
  readonly url: string;
  readonly plugin: OwnPlugin;
  /** Resolves when the plugin has stopped itself: the process is of no more use. */
  readonly failed: Promise<PluginError>;
  /** Takes no new requests, finishes those at hand, then stops the plugin. */
  stop(): Promise<void>;
}

/** Throws ConfigError, or a PluginError that says why it cannot start; nothing is left running then. */
export async function startServer(options: OwnOptions = {}): Promise<RunningServer> {
  let reportFailure: (error: PluginError) => void = () => {};
  const failed = new Promise<PluginError>((resolve) => {
    reportFailure = resolve;
  });
  const onFailure = (error: PluginError) => {
    reportFailure(error);
    options.onFailure?.(error);
  };
  const plugin = createOwnPlugin({ ...options, onFailure }, 'server');
  const { config } = plugin;
  const logger = guardLogger(
    options.logger === undefined ? createLogger(config.logLevel) : toLogger(options.logger),
  );
  const server = createTransport(createApp(plugin, config, logger), config, logger);
  // Before any work begins: a process that nobody reaches must not pay. Until the plugin works it answers 503.
  await listen(server, config);
  try {
    await plugin.start({ wait: false });
    await openUsualServicePort(plugin, logger);
  } catch (error) {
    await closeServer(server);
    await plugin.stop();
    throw error;
  }
  const url = addressOf(server, config);
  logger.info(
    { url, mode: config.mode, database: config.database.kind, service: config.service.kind },
    'listening',
  );
  return {
    url,
    plugin,
    failed,
    stop: async () => {
      await closeServer(server);
      await plugin.stop();
      logger.info({}, 'stopped');
    },
  };
}

/**
 * Opens the usual port of the service unless it is in use, as by another `start` on this machine: this process's plugin needs
 * none, and the other process serves the same database.
 */
async function openUsualServicePort({ config, parts }: OwnPlugin, logger: Logger): Promise<void> {
  const { service } = config;
  if (service.kind !== 'embedded' || service.port !== undefined) return;
  try {
    await parts.service?.listen(USUAL_SERVICE_PORT);
  } catch (error) {
    if (!(error instanceof PluginError) || error.code !== 'LISTEN_FAILED') throw error;
    const help = 'To reach the service of this process from others, set SERVICE_PORT.';
    logger.warn({ reason: error.message, help }, 'the retry service has no port of its own here');
  }
}

function createApp(plugin: OwnPlugin, config: Config, logger: Logger): Express {
  const app = express();
  if (config.trustProxy !== undefined) app.set('trust proxy', config.trustProxy);
  app.disable('x-powered-by');
  app.use(helmet());
  app.use(plugin.router);
  app.use(answerNotFound, answerErrors(logger));
  return app;
}

/** Wires the parts of a plugin, for applications, the stand-alone server and commands. */
import express, { type Request as HostRequest, type RequestHandler } from 'express';
import { type Clock, systemClock } from '../../core/base/clock.ts';
import { ConfigError, InvalidRequestError, PluginError } from '../../core/base/errors.ts';
import { toLogger } from '../../core/base/given-logger.ts';
import { createLogger, guardLogger } from '../../core/base/logger.ts';
import { answerErrors } from '../../core/web/http-errors.ts';
import { createRequestHandler } from '../../core/web/in-process-fetch.ts';
import { requireHttps } from '../../core/web/require-https.ts';
import { addHandler, findHandlerProblems } from '../operator/host-events/host-event.ts';
import { type Config, loadConfig } from '../settings/config.ts';
import { warnOfEphemeralDisk } from '../settings/ephemeral-disk.ts';
import { listSecrets } from '../settings/list-secrets.ts';
import { findOwnPath } from '../settings/own-paths.ts';
import type { PluginSettings } from '../settings/schema/plugin-settings.ts';
import { warnOfUnknownSettings } from '../settings/schema/unknown-settings.ts';
import { withoutServicePort } from '../settings/service-settings.ts';
import type { Assembly, Foundations } from './assemble.ts';
import { askHealth } from './health.ts';
import { toHostRouter, withoutHost } from './host-router.ts';
import type { Plugin, PluginOptions } from './plugin.ts';
import { createLife } from './plugin-life.ts';

/** Adds options for this package and its tests. */
export interface OwnOptions extends PluginOptions {
  /** The source of time; the system's by default. A simulated clock starts no work: call `runOnce`. */
  readonly clock?: Clock;
  /** The Stripe test clock that `clock` follows. */
  readonly testClock?: string;
}

/** Adds members for this package and its tests: both contain secrets. */
export interface OwnPlugin extends Plugin {
  readonly config: Config;
  /** Throws unless started. */
  readonly parts: Assembly;
}

/** Hides secrets and parts from the application and from its logs. */
export function toPlugin(own: OwnPlugin): Plugin {
  const { router, fetch, settings, toJSON, start, stop, on, health, runOnce, nextDueAt } = own;
  return {
    router,
    fetch,
    settings,
    toJSON,
    start,
    stop,
    on,
    health,
    runOnce,
    nextDueAt,
    get customers() {
      return own.customers;
    },
    get invoices() {
      return own.invoices;
    },
    get operations() {
      return own.operations;
    },
  };
}

/** Checks the settings and throws a ConfigError that lists every problem; nothing is opened before `start`. */
export function createPlugin(options: PluginOptions = {}): Plugin {
  return toPlugin(createFor(options, 'guest'));
}

export function createOwnPlugin(options: OwnOptions = {}): OwnPlugin {
  return createFor(options, 'guest');
}

/** Creates the plugin of `start`, which serves health and metrics at its root. */
export function createServerPlugin(options: OwnOptions): OwnPlugin {
  return createFor(options, 'server');
}

/** Creates a command's plugin: it reads and delivers, and leaves payments, emails and events to the application's process. */
export function createCommandPlugin(options: OwnOptions = {}): OwnPlugin {
  return createFor(options, 'command');
}

function createFor(
  { clock = systemClock, testClock, ...options }: OwnOptions,
  role: 'guest' | 'server' | 'command',
): OwnPlugin {
  const { logger: givenLogger, onFailure, environment, ...rest } = options;
  const { on, sendMail, renderMail, ...settings } = rest;
  let handlers = on;
  const given = loadConfig(settings, environment, {
    sendsMail: sendMail !== undefined,
    testClock,
    names: Object.keys(HOST_OPTIONS),
    problems: findHostProblems(options),
  });
  const isCommand = role === 'command';
  // Where PostgreSQL is shared, the running process has the port.
  const config = isCommand ? withoutServicePort(given) : given;
  const logger = guardLogger(
    givenLogger === undefined ? createLogger(config.logLevel) : toLogger(givenLogger),
    listSecrets(config),
  );
  const life = createLife({
    assembleAll: () => begin({ config, logger, clock, on: handlers, sendMail, renderMail, isCommand }),
    logger,
    onFailure: (error) => {
      logger.error({ code: error.code, err: error, help: error.help }, 'the plugin has stopped itself');
      onFailure?.(error);
    },
  });

  function parts(): Assembly {
    const assembly = life.running();
    const failure = life.failure();
    if (failure) throw failure.shown;
    if (!assembly)
      throw new PluginError('NOT_STARTED', 'The plugin is not started.', {
        help: 'Call start() first.',
      });
    return assembly;
  }
  const delegate: RequestHandler = (req, res, next) => {
    const kind = findOwnPath(req.path, config, isShared(req));
    const serve = () => parts().router(req, res, next);
    if (kind === undefined) next();
    else if (kind === 'probe') serve();
    else requireHttps(req, res, serve);
  };
  const isShared = ({ baseUrl }: HostRequest) => role !== 'server' && baseUrl === '';
  const router = express.Router();
  // The process is alive while it starts: a probe that ended it now would do so at each start.
  router.get('/healthz', (req, res, next) => {
    if (isShared(req)) return next();
    const failure = life.failure();
    if (failure?.isPassing === false) throw failure.shown;
    res.json({ status: 'ok' });
  });
  router.use(delegate, answerErrors(logger));

  let handle: ((asked: Request) => Promise<Response>) | undefined;

  const shown = config.shownSettings;
  return {
    router: toHostRouter(router, config.publicUrl),
    settings: shown,
    toJSON: () => ({ settings: shown }),
    fetch: (asked) => {
      handle ??= createRequestHandler(withoutHost(router, config.publicUrl.pathname));
      return handle(asked);
    },
    config,
    start: life.start,
    stop: life.stop,
    on: (type, handler) => {
      if (life.isBegun())
        throw new InvalidRequestError(`on('${type}') comes too late: call it before start()`);
      const problems = findHandlerProblems({ [type]: handler ?? null });
      if (problems.length > 0) throw new ConfigError(problems);
      handlers = addHandler(handlers, type, handler);
    },
    get customers() {
      return parts().host.customers;
    },
    get invoices() {
      return parts().host.invoices;
    },
    get operations() {
      return parts().host.operations;
    },
    health: () =>
      askHealth(async () => {
        const failure = life.failure();
        if (failure) throw failure.reason;
        return parts().readiness();
      }),
    runOnce: () => parts().runOnce(),
    nextDueAt: async () => (await parts().nextDueAt())?.toJSDate(),
    get parts() {
      return parts();
    },
  };
}

type HostOption = Exclude<keyof PluginOptions, keyof PluginSettings>;

const isFunction = (value: unknown) => typeof value === 'function';
const isObject = (value: unknown) => typeof value === 'object' && value !== null;

/** Options that are no settings: what each must be, and how that is seen. */
const HOST_OPTIONS: Readonly<Record<HostOption, [form: string, fits: (value: unknown) => boolean]>> = {
  logger: [
    'a logger, or a function that takes level, message and fields',
    (value) => isObject(value) || isFunction(value),
  ],
  on: ['an object with a function for each event', isObject],
  sendMail: ['a function', isFunction],
  renderMail: ['a function', isFunction],
  onFailure: ['a function', isFunction],
  environment: ['an object of variables, such as process.env', isObject],
};

function findHostProblems(options: PluginOptions): string[] {
  const wrong = Object.entries(HOST_OPTIONS).filter(([name, [, fits]]) => {
    const value = options[name as HostOption];
    return value !== undefined && !fits(value);
  });
  return [
    ...wrong.map(([name, [form]]) => `${name} must be ${form}`),
    ...findHandlerProblems({ ...options.on }),
  ];
}

/** What works is loaded here: an import of the package costs a host little. */
async function begin(base: Foundations): Promise<Assembly> {
  warnOfUnknownSettings(base.config.unknownSettings, base.logger);
  warnOfEphemeralDisk(base.config.database, process.env, base.logger);
  const { assemble } = await import('./assemble.ts');
  return assemble(base);
}

/** Wires the parts of a plugin, for applications, the stand-alone server and commands. */
import type { Response as HostResponse, RequestHandler } from 'express';
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
import { flattenOptions } from '../settings/options.ts';
import { findOwnPath } from '../settings/own-paths.ts';
import type { SettingOptions } from '../settings/schema/setting-options.ts';
import { warnOfUnknownSettings } from '../settings/schema/unknown-settings.ts';
import { withoutServicePort } from '../settings/service-settings.ts';
import type { Assembly, Foundations } from './assemble.ts';
import { askHealth } from './health.ts';
import { toHostRouter, withoutHost } from './host-router.ts';
import type { HostOptions, Plugin, PluginOptions } from './plugin.ts';
import { createLife, type StartOptions } from './plugin-life.ts';

/** Options by their flat names, with those for this package and its tests. */
export interface OwnOptions extends SettingOptions, HostOptions {
  /** Supplies settings that are not given. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
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
  const { own, problems } = flattenOptions(options);
  return toPlugin(createOwnPlugin(own, 'guest', problems));
}

/**
 * Creates the plugin of an application, of `start`, which serves health and metrics at its root, or of a command: that reads and
 * delivers, and leaves payments, emails and events to the application's process.
 */
export function createOwnPlugin(
  { clock = systemClock, testClock, ...options }: OwnOptions = {},
  role: 'guest' | 'server' | 'command' = 'guest',
  problems: readonly string[] = [],
): OwnPlugin {
  const { logger: givenLogger, onFailure, environment, ...rest } = options;
  const { on, sendEmail, renderEmail, listRecipients, ...settings } = rest;
  let handlers = on;
  const given = loadConfig(settings, environment, {
    sendsEmail: sendEmail !== undefined,
    testClock,
    problems: [...problems, ...findHostProblems(options)],
  });
  const isCommand = role === 'command';
  // Where PostgreSQL is shared, the running process has the port.
  const config = isCommand ? withoutServicePort(given) : given;
  const logger = guardLogger(
    givenLogger === undefined ? createLogger(config.logLevel) : toLogger(givenLogger),
    listSecrets(config),
  );
  const life = createLife({
    assembleAll: () =>
      begin({ config, logger, clock, on: handlers, sendEmail, renderEmail, listRecipients, isCommand }),
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
  /** The process is alive while it starts: a probe that ended it now would do so at each start. */
  const answerAlive = (res: HostResponse) => {
    const failure = life.failure();
    if (failure?.isPassing === false) throw failure.shown;
    res.json({ status: 'ok' });
  };
  const answer = answerErrors(logger);
  // Not a router of Express, which would cost each webhook as much as its signature.
  const router: RequestHandler = (req, res, next) => {
    const kind = findOwnPath(req.path, config, role !== 'server' && req.baseUrl === '');
    if (kind === undefined) return next();
    const done = (error?: unknown) => {
      if (!error) return next();
      try {
        answer(error, req, res, next);
      } catch (failure) {
        next(failure);
      }
    };
    const serve = () => {
      const { receive, router } = parts();
      return (kind === 'webhook' && req.method === 'POST' ? receive : router)(req, res, done);
    };
    try {
      if (kind === 'alive' && (req.method === 'GET' || req.method === 'HEAD')) answerAlive(res);
      else if (kind === 'alive' || kind === 'probe') serve();
      else requireHttps(req, res, serve);
    } catch (error) {
      done(error);
    }
  };

  /** A host that does not wait for it lives on; the log and `health()` have the reason. */
  function start(options?: StartOptions): Promise<void> {
    const started = life.start(options);
    started.catch((error: unknown) => {
      if (role === 'guest') logger.error({ err: error }, 'the plugin could not start');
    });
    return started;
  }

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
    start,
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
    nextDueAt: async () => (await parts().nextDueAt())?.toUTC().toISO() ?? undefined,
    get parts() {
      return parts();
    },
  };
}

const isFunction = (value: unknown) => typeof value === 'function';
const isObject = (value: unknown) => typeof value === 'object' && value !== null;

/** Options that are no settings: where each is given, what it must be, and how that is seen. */
const HOST_FORMS: Readonly<
  Record<keyof HostOptions, [place: string, form: string, fits: (value: unknown) => boolean]>
> = {
  logger: [
    'logger',
    'a logger, or a function that takes level, message and fields',
    (value) => isObject(value) || isFunction(value),
  ],
  on: ['on', 'an object with a function for each event', isObject],
  sendEmail: ['email.send', 'a function', isFunction],
  renderEmail: ['email.render', 'a function', isFunction],
  listRecipients: ['email.recipients', 'a function', isFunction],
  onFailure: ['onFailure', 'a function', isFunction],
};

function findHostProblems(options: HostOptions): string[] {
  const given = Object.entries<unknown>({ ...options });
  const wrong = Object.entries(HOST_FORMS).flatMap(([name, [place, form, fits]]) => {
    const value = given.find(([one]) => one === name)?.[1];
    return value === undefined || fits(value) ? [] : [`${place} must be ${form}`];
  });
  return [...wrong, ...findHandlerProblems({ ...options.on })];
}

/** What works is loaded here: an import of the package costs a host little. */
async function begin(base: Foundations): Promise<Assembly> {
  warnOfUnknownSettings(base.config.unknownSettings, base.logger);
  warnOfEphemeralDisk(base.config.database, process.env, base.logger);
  const { assemble } = await import('./assemble.ts');
  return assemble(base);
}

/** Wires the parts. A merchant mounts `router` in an Express application and calls `start`. */
import type { RequestListener } from 'node:http';
import express, { type Request as HostRequest, type RequestHandler, type Router } from 'express';
import { type Clock, systemClock } from '../../core/base/clock.ts';
import { ConfigError, InvalidRequestError, PluginError } from '../../core/base/errors.ts';
import { createLogger, guardLogger, type Logger } from '../../core/base/logger.ts';
import { answerErrors } from '../../core/web/http-errors.ts';
import { createRequestHandler } from '../../core/web/in-process-fetch.ts';
import { requireHttps } from '../../core/web/require-https.ts';
import type { SendMail } from '../clients/mailer.ts';
import type { RenderMail } from '../mails/mail-writer.ts';
import {
  addHandler,
  findHandlerProblems,
  type HostEvents,
  type HostHandler,
  type HostHandlers,
} from '../operator/host-events/host-event.ts';
import { type Config, loadConfig } from '../settings/config.ts';
import { listSecrets } from '../settings/list-secrets.ts';
import { findOwnPath } from '../settings/own-paths.ts';
import type { PluginSettings } from '../settings/schema/plugin-settings.ts';
import { warnOfUnknownSettings } from '../settings/schema/unknown-settings.ts';
import { withoutServicePort } from '../settings/service-settings.ts';
import type { Assembly, Foundations } from './assemble.ts';
import { askHealth, type Health } from './health.ts';
import type { HostApi } from './host-api.ts';

/** Every setting, and what only an application can give. */
export interface PluginOptions extends PluginSettings {
  /** Where log lines go; by default JSON lines on standard output. */
  readonly logger?: Logger;
  /** Handlers of events, called at least once; one that throws is called again later. */
  readonly on?: HostHandlers;
  /** Sends the mails, instead of the server at SMTP_URL; LINK_SECRET is required with it. */
  readonly sendMail?: SendMail;
  /** Your own words for a mail, instead of ours or those of EMAIL_TEMPLATES. */
  readonly renderMail?: RenderMail;
  /** Time; by default the system's. A simulated clock does no work by itself: call `runOnce`. */
  readonly clock?: Clock;
  /**
   * The embedded database reported its own damage: the plugin has stopped, and answers 503 to what is its own. `start` opens
   * the database anew, which fixes what a crash can leave; so does a new process. Without this only the log says so.
   */
  readonly onFailure?: (error: PluginError) => void;
  /** Where settings that are not given come from: `process.env`, if that is meant. By default options are all there is. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** What `createPlugin` returns. It does nothing before `start`. */
export interface Plugin extends HostApi {
  /**
   * Mount it under a prefix, which PUBLIC_URL ends with, and before any body parser: signatures are checked on the untouched
   * body. Requests for other paths than the plugin's pass untouched. While the plugin is stopped, its own are answered with 503.
   */
  readonly router: Router;
  /**
   * The same for a host that has the platform's `Request`: a route handler of Next.js, Hono, Bun. It answers below the path of
   * PUBLIC_URL, 404 for paths that are not its own. Who asks, and whether by HTTPS, is what `X-Forwarded-For` and
   * `X-Forwarded-Proto` say, which your server or a proxy has to set; without them the address of the request counts.
   */
  fetch(request: Request): Promise<Response>;
  /** The settings as they were read. */
  readonly config: Config;
  /**
   * Opens the database, brings it up to date and starts to work. Rejects with a PluginError (`STORE_UNAVAILABLE`, `STORE_DAMAGED`,
   * `DATA_DIR_LOCKED`, `LISTEN_FAILED`, `CONFIG_INVALID`) that says what to do; nothing is left running then.
   */
  start(): Promise<void>;
  /** One more handler of an event, as `on` of the options; before `start`, which decides what is kept for handlers. */
  on<Type extends keyof HostEvents>(type: Type, handler: HostHandler<Type>): void;
  /** Whether it works, for your own health check. Never rejects. */
  health(): Promise<Health>;
  /** Finishes what is running and closes everything; `start` may be called again. */
  stop(): Promise<void>;
  /** Does everything that is due now, and returns how many jobs that was. Throws unless started. */
  runOnce(): Promise<number>;
  /** When the next job falls due, if any waits. */
  nextDueAt(): Promise<Date | undefined>;
  /** The parts, for commands and tests. Throws unless started. */
  readonly parts: Assembly;
}

/** Checks the settings and throws a ConfigError that lists every problem; nothing is opened before `start`. */
export function createPlugin(options: PluginOptions = {}): Plugin {
  return createFor(options, 'guest');
}

/** For `start`, whose application has no other parts: health and metrics are at its root. */
export function createServerPlugin(options: PluginOptions): Plugin {
  return createFor(options, 'server');
}

/** For a command: it reads and delivers, and leaves payments, mails and events to the process of the application. */
export function createCommandPlugin(options: PluginOptions = {}): Plugin {
  return createFor(options, 'command');
}

function createFor(options: PluginOptions, role: 'guest' | 'server' | 'command'): Plugin {
  const { logger: givenLogger, clock = systemClock, onFailure, environment, ...rest } = options;
  const { on, sendMail, renderMail, ...settings } = rest;
  let handlers = on;
  const given = loadConfig(settings, environment, {
    sendsMail: sendMail !== undefined,
    names: Object.keys(HOST_OPTIONS),
    problems: findHostProblems(options),
  });
  const isCommand = role === 'command';
  // Where PostgreSQL is shared, the running process has the port.
  const config = isCommand ? withoutServicePort(given) : given;
  const logger = guardLogger(givenLogger ?? createLogger(config.logLevel), listSecrets(config));
  const life = createLife(
    () => begin({ config, logger, clock, on: handlers, sendMail, renderMail, isCommand }),
    (error) => {
      logger.error({ code: error.code, err: error, help: error.help }, 'the plugin has stopped itself');
      onFailure?.(error);
    },
  );

  function parts(): Assembly {
    const assembly = life.running();
    const failure = life.failure();
    if (failure) throw failure;
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
  // The process lives while it starts, too: whoever ended it now would do so at each start.
  router.get('/healthz', (req, res, next) => {
    if (isShared(req)) return next();
    const failure = life.failure();
    if (failure) throw failure;
    res.json({ status: 'ok' });
  });
  router.use(delegate, answerErrors(logger));

  let handle: ((asked: Request) => Promise<Response>) | undefined;

  return {
    router,
    fetch: (asked) => {
      handle ??= createRequestHandler(withoutHost(router, config.publicUrl));
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
    health: () => askHealth(async () => parts().readiness()),
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
  logger: ['a logger', isObject],
  on: ['an object with a function for each event', isObject],
  sendMail: ['a function', isFunction],
  renderMail: ['a function', isFunction],
  clock: ['a clock', isObject],
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

function withoutHost(router: Router, { pathname }: URL): RequestListener {
  return express().set('trust proxy', 'loopback').disable('x-powered-by').use(pathname, router);
}

/** What works is loaded here: an import of the package costs a host little. */
async function begin(base: Foundations): Promise<Assembly> {
  warnOfUnknownSettings(base.config.unknownSettings, base.logger);
  const { assemble } = await import('./assemble.ts');
  return assemble(base);
}

/** Whoever asks reads the code alone: the reason may name folders and addresses. */
function describeFailedStart(cause: unknown): PluginError {
  const code = cause instanceof PluginError ? cause.code : 'INTERNAL';
  const message = `The plugin could not start (${code}). Its log says why, and what to do.`;
  return new PluginError('STORE_UNAVAILABLE', message, { cause });
}

/** Starts once however often it is asked to, stops likewise, and never does both at the same time. */
function createLife(assembleAll: () => Promise<Assembly>, onFailure: (error: PluginError) => void) {
  let starting: Promise<Assembly> | undefined;
  let stopping: Promise<void> = Promise.resolve();
  let assembly: Assembly | undefined;
  let failure: PluginError | undefined;

  function stop(): Promise<void> {
    if (starting) stopping = end(starting);
    starting = undefined;
    assembly = undefined;
    return stopping;
  }
  /** Its own workers would only fail, again and again. */
  function fail(begun: Assembly, error: PluginError): void {
    if (assembly !== begun) return;
    failure = error;
    stop().catch(() => {});
    onFailure(error);
  }
  async function end(begun: Promise<Assembly> | undefined): Promise<void> {
    const running = await begun?.catch(() => undefined);
    await running?.stop();
  }
  return {
    running: () => assembly,
    isBegun: () => starting !== undefined,
    failure: () => failure,
    start: async (): Promise<void> => {
      await stopping.catch(() => undefined);
      failure = undefined;
      starting ??= assembleAll();
      const mine = starting;
      try {
        const begun = await mine;
        if (starting !== mine || assembly === begun) return;
        assembly = begun;
        void begun.database.damaged.then((error) => fail(begun, error));
      } catch (error) {
        if (starting === mine) {
          failure = describeFailedStart(error);
          starting = undefined;
        }
        throw error;
      }
    },
    stop,
  };
}

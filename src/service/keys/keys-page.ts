/** `/org/api_keys`: the keys of every organization of this service, for whoever has its password. */
import express, { type Request, type Response, Router } from 'express';
import type { DateTime } from 'luxon';
import { z } from 'zod';
import type { Parsed } from '../../contract/contract.ts';
import { StoreUnavailableError } from '../../errors.ts';
import { findForgery, formTokensOf } from '../../http/form-token.ts';
import { createPageHeaders, limitGuesses } from '../../http/page-protection.ts';
import { refuse } from '../http/refuse.ts';
import { listApiKeys, listOrganizationNames } from '../store/api-keys-made.ts';
import { requirePassword } from './keys-page-protection.ts';
import { PAGE_STYLE } from './keys-page-style.ts';
import { type Message, renderKeysPage } from './keys-page-views.tsx';
import {
  changeApiKey,
  createApiKey,
  DEFAULT_GRACE_HOURS,
  graceHours,
  type KeyDeps,
  keyLimit,
  keyName,
  newKeyId,
  revokeApiKey,
  rotateApiKey,
} from './manage-api-keys.ts';

export interface KeysPageDeps extends KeyDeps {
  /** Without one there is no page. */
  consolePassword?: string | undefined;
  requestsPerSecond: number;
}

const PATH = '/org/api_keys';
const FORM_LIMIT = '10kb';

/** Nothing while there is no password, and nothing that tells that there could be a page. */
export function createKeysPage(deps: KeysPageDeps): Router {
  const router = Router();
  if (deps.consolePassword === undefined) return router;
  const limit = limitGuesses(deps.logger, (_request, response) =>
    refuse(response, 429, 'Too many wrong passwords; wait some minutes.'),
  );
  router.use(PATH, limit, requirePassword(deps.consolePassword), ...createPageHeaders(PAGE_STYLE));
  router.get(PATH, (_request, response) => showPage(deps, response, undefined));
  router.post(PATH, express.urlencoded({ extended: false, limit: FORM_LIMIT }), (request, response) =>
    takeForm(deps, request, response),
  );
  return router;
}

async function takeForm(deps: KeysPageDeps, request: Request, response: Response): Promise<void> {
  const fields = z.record(z.string(), z.unknown()).safeParse(request.body).data ?? {};
  const forgery = findForgery(request, fields.token, formTokens(deps));
  if (forgery !== undefined) {
    deps.logger.warn({ reason: forgery }, 'a form of the page of API keys was refused');
    response.status(403);
    return showPage(deps, response, refusal(`Nothing was changed: ${forgery}. Try again from here.`));
  }
  const message = await orUnavailable(handleForm(deps, fields));
  if (message.kind === 'refused') response.status(400);
  return showPage(deps, response, message);
}

/** An empty field of a form is one that was left out. */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional());

const form = z.discriminatedUnion('do', [
  z.object({
    do: z.literal('create'),
    id: z.string(),
    organization: z.string(),
    name: keyName,
    limit: optional(keyLimit),
  }),
  z.object({ do: z.literal('rotate'), id: z.string(), grace: graceHours.default(DEFAULT_GRACE_HOURS) }),
  z.object({ do: z.literal('revoke'), id: z.string() }),
  z.object({ do: z.literal('change'), id: z.string(), name: optional(keyName), limit: optional(keyLimit) }),
]);

async function handleForm(deps: KeysPageDeps, fields: Record<string, unknown>): Promise<Message> {
  const parsed = form.safeParse(fields);
  if (!parsed.success) return refusal(`${parsed.error.issues[0]?.message ?? 'The form is not complete'}.`);
  const { data } = parsed;
  const { id } = data;
  if (data.do === 'create')
    return describeSecret(await createApiKey(deps, { ...data, requestsPerSecond: data.limit }), undefined);
  if (data.do === 'rotate') {
    const expiresAt = deps.clock.now().plus({ hours: data.grace });
    return describeSecret(await rotateApiKey(deps, id, { hours: data.grace }), { id, expiresAt });
  }
  if (data.do === 'revoke') return tell(await revokeApiKey(deps, id), `${id} is revoked.`);
  const change = { name: data.name, requestsPerSecond: data.limit };
  return tell(await changeApiKey(deps, id, change), `${id} is changed.`);
}

function describeSecret(
  made: Parsed<{ id: string; secret: string }>,
  replaced: { id: string; expiresAt: DateTime } | undefined,
): Message {
  return made.ok ? { kind: 'made', ...made.value, replaced } : refusal(made.message);
}

function tell(result: Parsed<unknown>, text: string): Message {
  return result.ok ? { kind: 'done', text } : refusal(result.message);
}

function refusal(text: string): Message {
  return { kind: 'refused', text };
}

async function showPage(deps: KeysPageDeps, response: Response, message: Message | undefined): Promise<void> {
  const { database, requestsPerSecond } = deps;
  const now = deps.clock.now();
  const [keys, organizations] = await orUnavailable(
    Promise.all([listApiKeys(database), listOrganizationNames(database)]),
  );
  response.type('html').send(
    renderKeysPage({
      keys,
      organizations,
      requestsPerSecond,
      now,
      token: formTokens(deps)[0],
      freshId: newKeyId(),
      message,
    }),
  );
}

function formTokens({ consolePassword = '', clock }: KeysPageDeps) {
  return formTokensOf(consolePassword, 'org/api_keys', clock.now());
}

function orUnavailable<Value>(work: Promise<Value>): Promise<Value> {
  return work.catch((cause: unknown) => {
    throw new StoreUnavailableError(cause);
  });
}

/** @jsxRuntime automatic @jsxImportSource react */
/** The Dashboard as a view sees it: it signs, and the view's requests reach a backend that answers as told. */
import { createHmac } from 'node:crypto';
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { getMockContextProps, render } from '@stripe/ui-extension-sdk/testing';
import type { ComponentType } from 'react';
import { z } from 'zod';

export const LOCALE = 'en-US';
export const BACKENDS = { live: 'https://live.example/app/', test: 'https://test.example/app/' };

export interface Request {
  readonly url: string;
  readonly signature: string;
  /** What was signed. */
  readonly body: Record<string, unknown>;
  readonly parameters: Record<string, unknown>;
}

export type Reply =
  | { status?: number; body: object }
  | 'no answer'
  | Promise<{ status?: number; body: object }>;

export interface Dashboard {
  readonly requests: Request[];
  /** By the name of the request. */
  replies: Record<string, Reply>;
}

/** As Stripe signs: the fields in their order, then the user and the account. */
export function signAs(secret: string, userId: string, accountId: string, now: () => number) {
  return (payload: object) => {
    const text = JSON.stringify({ ...payload, user_id: userId, account_id: accountId });
    const at = Math.floor(now() / 1000);
    return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${text}`).digest('hex')}`;
  };
}

/** What the Dashboard puts beside a view. */
export function showDashboard(sign: (payload: object) => string, refreshed = () => {}): void {
  Object.assign(globalThis, {
    __StripeExtExports: {
      endpoint: {
        call: {
          supportsFetchAppEmbeddedKey: async () => false,
          fetchStripeSignature: async (payload: object) => sign(payload),
          refreshDashboardData: async () => refreshed(),
        },
      },
    },
  });
}

/** Digests under way: they are made beside the event loop, so that no number of its turns is enough. */
const digests = new Set<Promise<ArrayBuffer>>();

function followDigests(): () => void {
  const { subtle } = crypto;
  const real = subtle.digest;
  subtle.digest = (...given) => {
    const digest = real.apply(subtle, given);
    digests.add(digest);
    return digest.finally(() => digests.delete(digest));
  };
  return () => {
    subtle.digest = real;
  };
}

/** Answers `fetch`; returns what puts the real one back. */
export function answerRequests(dashboard: Dashboard): () => void {
  const unfollow = followDigests();
  const real = globalThis.fetch;
  globalThis.fetch = async (url, init) => {
    const { signed, parameters } = JSON.parse(String(init?.body));
    const body = JSON.parse(signed);
    const signature = String(new Headers(init?.headers).get('stripe-signature'));
    dashboard.requests.push({ url: String(url), signature, body, parameters: JSON.parse(parameters) });
    const reply = await dashboard.replies[body.request];
    if (reply === undefined || reply === 'no answer') throw new TypeError('fetch failed');
    return new Response(JSON.stringify(reply.body), { status: reply.status ?? 200 });
  };
  return () => {
    unfollow();
    globalThis.fetch = real;
  };
}

export const answer = (data: object) => ({ body: { success: true, answer: data } });

export interface Place {
  readonly mode?: 'live' | 'test';
  readonly id?: string;
  readonly roles?: { id: string; name: string; type: 'builtIn' | 'custom' }[];
  readonly constants?: { backends: { live: string; test: string } };
  readonly accountId?: string;
  readonly locale?: string;
  /** What the account has allowed the app to reach. */
  readonly connectSrc?: string[];
}

export function contextOf(place: Place = {}): ExtensionContextValue {
  const {
    mode = 'live',
    id = 'in_1',
    accountId = 'acct_1',
    locale = LOCALE,
    constants = { backends: BACKENDS },
  } = place;
  const roles = place.roles ?? [{ id: 'admin', name: 'Administrator', type: 'builtIn' as const }];
  const environment = { mode, viewportID: 'x', objectContext: { id, object: 'invoice' } };
  const context = getMockContextProps({
    environment,
    userContext: { id: 'usr_1', locale, roles, account: { id: accountId } },
  });
  // The SDK's helper leaves the constants out.
  const { connectSrc = Object.values(BACKENDS) } = place;
  const appContext = { authorizedContentSecurityPolicy: { connectSrc, imageSrc: null } };
  return { ...context, appContext, environment: { ...context.environment, constants } };
}

/** A component, a text, or the root of a view; also those that are properties of others, such as a Banner's actions. */
export interface Part {
  readonly type: string;
  readonly text: string;
  readonly props: Readonly<Record<string, unknown>>;
  readonly parts: readonly Part[];
}

export interface Shown {
  tree(): readonly Part[];
  /** Everything that can be read, in order. */
  text(): string;
  buttons(): string[];
  /** The last of this name: a question stands after what it is about. */
  press(label: string): Promise<void>;
  /** Into the field of this name. */
  type(label: string, value: string): Promise<void>;
  settle(): Promise<void>;
  readonly wrapper: ReturnType<typeof render>['wrapper'];
}

export async function show(View: ComponentType<ExtensionContextValue>, place?: Place): Promise<Shown> {
  const { wrapper, update } = render(<View {...contextOf(place)} />);
  const tree = () => partsOf(z.object({ children: z.array(z.unknown()) }).parse(wrapper.instance).children);
  const listButtons = () => listParts(tree()).filter(({ type }) => type === 'Button');
  const listActions = () =>
    listParts(tree()).flatMap(
      (part) => readModule(part)?.extraActions.filter(({ type }) => type === 'action') ?? [],
    );
  const settle = async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      await update();
      await Promise.all(digests);
    }
  };
  await settle();
  return {
    wrapper,
    tree,
    settle,
    text: () => tree().map(readText).join(' | '),
    buttons: () => [...listButtons().map(readText), ...listActions().map(({ label }) => label)],
    press: async (label) => {
      const button = listButtons().findLast((one) => plain(readText(one)) === label);
      const action = listActions().find((one) => one.label === label);
      const { onPress } = z.object({ onPress: z.custom<() => void>() }).parse(button?.props ?? action ?? {});
      onPress();
      await settle();
    },
    type: async (label, value) => {
      const field = listParts(tree()).find(
        ({ type, props }) => type === 'TextField' && props.label === label,
      );
      const { onChange } = z
        .object({ onChange: z.custom<(change: { target: { value: string } }) => void>() })
        .parse(field?.props ?? {});
      onChange({ target: { value } });
      await settle();
    },
  };
}

/** Spaces that do not break are spaces to a reader. */
export const plain = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ');

const remote = z.object({
  type: z.string().default(''),
  text: z.string().default(''),
  props: z.record(z.string(), z.unknown()).nullish(),
  children: z.array(z.unknown()).default([]),
});

function partsOf(nodes: readonly unknown[]): Part[] {
  return nodes.map((node) => {
    const { type, text, props, children } = remote.parse(node);
    const { below, plain } = splitProps(props ?? {});
    return { type, text, props: plain, parts: [...below, ...partsOf(children)] };
  });
}

/** Elements as properties are fragments with children of their own. */
function splitProps(props: Record<string, unknown>): { below: Part[]; plain: Record<string, unknown> } {
  const fragment = z.object({ kind: z.number(), children: z.array(z.unknown()) });
  const isFragment = (value: unknown) => fragment.safeParse(value).success;
  const entries = Object.entries(props);
  return {
    below: entries.flatMap(([, value]) => partsOf(fragment.safeParse(value).data?.children ?? [])),
    plain: Object.fromEntries(entries.filter(([, value]) => !isFragment(value))),
  };
}

export function listParts(parts: readonly Part[]): Part[] {
  return parts.flatMap((part) => [part, ...listParts(part.parts)]);
}

/** The properties of a module are data, not parts. */
const ofModule = z.object({
  items: z
    .array(
      z.object({
        label: z.string(),
        values: z.array(
          z.object({
            label: z.object({ text: z.string() }).optional(),
            value: z.object({ text: z.string() }).optional(),
          }),
        ),
      }),
    )
    .default([]),
  emptyMessage: z.string().optional(),
  error: z.object({ message: z.string() }).optional(),
  extraActions: z
    .array(
      z.object({
        type: z.enum(['action', 'link']),
        label: z.string(),
        onPress: z.custom<() => void>().optional(),
      }),
    )
    .default([]),
});

export function readModule({ type, props }: Part): z.output<typeof ofModule> | undefined {
  return type === 'DetailPagePropertyList' ? ofModule.parse(props) : undefined;
}

function readItems({ items, emptyMessage, error }: z.output<typeof ofModule>): string[] {
  if (error) return [error.message];
  if (items.length === 0) return [emptyMessage ?? ''];
  return items.flatMap(({ label, values }) => [
    label,
    ...values.flatMap((one) => [one.label?.text ?? '', one.value?.text ?? '']),
  ]);
}

const READABLE = ['title', 'label', 'secondaryTitle', 'description', 'value', 'statusMessage'];

/** Texts are children or, as of a Banner, properties. */
export function readText(part: Part): string {
  const { text, props, parts } = part;
  const module = readModule(part);
  if (module)
    return [...readItems(module), ...module.extraActions.map(({ label }) => label)]
      .filter(Boolean)
      .join(' | ');
  const own = READABLE.flatMap((name) => (typeof props[name] === 'string' ? [String(props[name])] : []));
  return [text, ...own, ...parts.map(readText)].filter((part) => part !== '').join(' | ');
}

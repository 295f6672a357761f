/** Asks the backend when a view opens and whenever it is told to. Hooks that React 17 has, too. */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Answer, askBackend } from './ask-backend.ts';
import { zoneHere } from './format.ts';

export type Asked<Data> = { readonly state: 'loading' } | Answer<Data>;

export interface Backend<Data> {
  readonly asked: Asked<Data>;
  readonly reload: () => Promise<void>;
}

const LOADING = { state: 'loading' } as const;

/** `id`: null where the request is about none, undefined while the Dashboard has not told it yet. */
export function useBackend<Data>(
  context: ExtensionContextValue,
  request: string,
  id: string | null | undefined,
): Backend<Data> {
  const { userContext, environment } = context;
  const isReady = id !== undefined && userContext?.id !== undefined;
  // The view stays when the Dashboard goes on to another object, account or mode: an answer counts for what it was asked for.
  const about = JSON.stringify([
    request,
    id,
    userContext?.account?.id,
    environment?.mode,
    userContext?.locale,
  ]);
  const [known, setKnown] = useState<{ about: string; asked: Asked<Data> }>({ about, asked: LOADING });
  const newest = useRef({ context, asks: 0 });
  newest.current.context = context;
  const reload = useCallback(async () => {
    if (!isReady) return;
    newest.current.asks += 1;
    const mine = newest.current.asks;
    const parameters = {
      ...(id === null ? {} : { id }),
      locale: newest.current.context.userContext.locale,
      timeZone: zoneHere(),
    };
    const asked = await askBackend<Data>(newest.current.context, { request, parameters });
    if (mine === newest.current.asks) setKnown({ about, asked });
  }, [about, id, isReady, request]);
  useEffect(() => void reload(), [reload]);
  return { asked: known.about === about ? known.asked : LOADING, reload };
}

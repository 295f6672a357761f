/** @jsxRuntime automatic @jsxImportSource react */
/** A module inside a page of the Dashboard: a list of properties, or why there is none. */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import {
  type DetailPageModuleAction,
  DetailPagePropertyList,
  type DetailPagePropertyListItem,
} from '@stripe/ui-extension-sdk/ui';
import type { Backend } from '../use-backend.ts';
import { explainTrouble } from '../words.ts';

export interface ModuleContents {
  readonly items: readonly DetailPagePropertyListItem[];
  readonly actions: readonly DetailPageModuleAction[];
}

interface ModuleProps<Data> {
  readonly context: ExtensionContextValue;
  readonly backend: Backend<Data>;
  /** Shown where the list has no property. */
  readonly empty: string;
  readonly children: (data: Data) => ModuleContents;
}

export function Module<Data>({ context, backend: { asked, reload }, empty, children }: ModuleProps<Data>) {
  if (asked.state === 'loading') return <DetailPagePropertyList pending />;
  if (asked.state !== 'answered') {
    const { title, description, isFinal } = explainTrouble(asked);
    const again = { type: 'action', label: 'Try again', onPress: () => void reload() } as const;
    return (
      <DetailPagePropertyList
        pending={false}
        error={{ message: `${title}. ${description}` }}
        extraActions={isFinal ? [] : [again]}
      />
    );
  }
  const { items, actions } = children(asked.data);
  const isTest = context.environment.mode === 'test' && items.length > 0;
  return (
    <DetailPagePropertyList
      pending={false}
      emptyMessage={empty}
      items={[...(isTest ? [property('Mode', ['Test mode: no real money'])] : []), ...items]}
      extraActions={[...actions]}
      showOpenAppAction
    />
  );
}

type Line = string | readonly [text: string, detail: string];

/** A line may have a detail below it. */
export function property(label: string, lines: readonly Line[]): DetailPagePropertyListItem {
  const values = lines.map((line) => {
    const [text, detail] = typeof line === 'string' ? [line] : line;
    return { label: { text }, ...(detail === undefined || detail === '' ? {} : { value: { text: detail } }) };
  });
  return { label, values };
}

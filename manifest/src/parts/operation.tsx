/** @jsxRuntime automatic @jsxImportSource react */
/** One operation on one invoice: opened, confirmed, carried out, told. The server says what there is, and what each would do. */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { Banner, Box, Button, DateField, FocusView, Inline, TextField } from '@stripe/ui-extension-sdk/ui';
import { useRefreshDashboardData } from '@stripe/ui-extension-sdk/utils/context.js';
import { type ReactNode, useState } from 'react';
import { askBackend } from '../ask-backend.ts';
import type { ChangeAnswer, InvoiceAnswer, Operation } from '../backend-data.ts';
import { startOfDay, zoneHere } from '../format.ts';
import { explainRefusal } from '../words.ts';

interface Invoice {
  readonly id: string;
  /** Whose it is and how much, where the view shows several. */
  readonly about?: string;
}

interface Opened {
  readonly invoice: Invoice;
  readonly operation: Operation;
}

export interface OperationInView {
  readonly open: (opened: Opened) => void;
  /** By its title, as the invoice stands now. */
  readonly find: (invoice: Invoice, title: string) => Promise<void>;
  readonly isBusy: boolean;
  /** What came of the last one. */
  readonly told: ReactNode;
  readonly confirmation: ReactNode;
}

export function useOperation(context: ExtensionContextValue, reload: () => Promise<void>): OperationInView {
  const refreshDashboard = useRefreshDashboardData();
  const [opened, open] = useState<Opened | undefined>();
  const [isBusy, setBusy] = useState(false);
  const [told, setTold] = useState<Told | undefined>();
  const whileBusy = async (work: () => Promise<void>) => {
    setBusy(true);
    await work();
    setBusy(false);
  };
  const find = (invoice: Invoice, title: string) =>
    whileBusy(async () => {
      const found = await findOperation(context, invoice.id, title);
      if ('operation' in found) return open({ invoice, operation: found.operation });
      setTold(found);
      await reload();
    });
  const carryOut = ({ invoice: { id }, operation }: Opened, extra: Parameters) =>
    whileBusy(async () => {
      const done = await tell(context, operation.request, { id, ...operation.parameters, ...extra });
      open(undefined);
      setTold(done);
      await reload();
      // The page around the view: an invoice that was just paid says so.
      if (done.isDone) await refreshDashboard();
    });
  return {
    open,
    find,
    isBusy,
    told: told && (
      <Banner
        type={told.isDone ? 'default' : 'caution'}
        title={told.text}
        onDismiss={() => setTold(undefined)}
      />
    ),
    confirmation: opened && (
      <Confirmation
        opened={opened}
        isBusy={isBusy}
        isTest={context.environment.mode === 'test'}
        onCancel={() => open(undefined)}
        onConfirm={(extra) => void carryOut(opened, extra)}
      />
    ),
  };
}

type Parameters = Readonly<Record<string, string>>;

interface Told {
  readonly text: string;
  readonly isDone: boolean;
}

async function findOperation(
  context: ExtensionContextValue,
  id: string,
  title: string,
): Promise<Told | { readonly operation: Operation }> {
  const { locale } = context.userContext;
  const parameters = { id, locale, timeZone: zoneHere() };
  const answer = await askBackend<InvoiceAnswer>(context, { request: 'invoice', parameters });
  if (answer.state === 'failed')
    return { text: `The server did not answer (${answer.message}). Nothing was done.`, isDone: false };
  if (answer.state === 'refused') return { text: explainRefusal(answer.code, answer.message), isDone: false };
  const offered = answer.data.isKnown ? answer.data.operations : [];
  const operation = offered.find((one) => one.title === title);
  if (operation === undefined) return { text: 'The invoice does not need this any more.', isDone: false };
  return operation.refusal === null ? { operation } : { text: operation.refusal, isDone: false };
}

async function tell(context: ExtensionContextValue, request: string, parameters: Parameters): Promise<Told> {
  const { locale } = context.userContext;
  const question = { request, parameters: { ...parameters, locale, timeZone: zoneHere() } };
  const answer = await askBackend<ChangeAnswer>(context, question);
  if (answer.state === 'failed')
    return {
      text: `It is not known whether it was done: the server did not answer (${answer.message}). Reload to see.`,
      isDone: false,
    };
  if (answer.state === 'refused') return { text: explainRefusal(answer.code, answer.message), isDone: false };
  const { text, outcome } = answer.data;
  return { text, isDone: outcome === 'changed' };
}

interface ConfirmationProps {
  readonly opened: Opened;
  readonly isBusy: boolean;
  readonly isTest: boolean;
  readonly onCancel: () => void;
  readonly onConfirm: (extra: Parameters) => void;
}

function Confirmation({ opened, isBusy, isTest, onCancel, onConfirm }: ConfirmationProps) {
  const { title, button, will, isDangerous, asksUntil } = opened.operation;
  const { about } = opened.invoice;
  const [why, setWhy] = useState('');
  const [day, setDay] = useState('');
  const until = startOfDay(day);
  const isReady = !asksUntil || until !== undefined;
  const extra = {
    ...(why.trim() === '' ? {} : { why: why.trim() }),
    ...(asksUntil && until !== undefined ? { until } : {}),
  };
  return (
    <FocusView
      title={title}
      shown
      setShown={(shown) => !shown && onCancel()}
      primaryAction={
        <Button
          type={isDangerous ? 'destructive' : 'primary'}
          pending={isBusy}
          disabled={isBusy || !isReady}
          onPress={() => onConfirm(extra)}
        >
          {button}
        </Button>
      }
      secondaryAction={<Button onPress={onCancel}>Cancel</Button>}
    >
      <Box css={{ stack: 'y', gap: 'medium' }}>
        {about && <Inline css={{ font: 'heading' }}>{about}</Inline>}
        {will && <Inline>{will}</Inline>}
        {isTest && <Inline>This is test mode: no real money moves.</Inline>}
        {asksUntil && <DateField label="Until 9 o’clock in the morning of" value={day} onChange={setDay} />}
        <TextField
          label="Why (kept in the history)"
          value={why}
          maxLength={500}
          onChange={(event) => setWhy(event.target.value)}
        />
      </Box>
    </FocusView>
  );
}

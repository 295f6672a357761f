/** @jsxRuntime automatic @jsxImportSource react */
/** What a person can do with an invoice. What may charge the customer is asked back first. */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { Banner, Box, Button, DateField, FocusView, Inline, TextField } from '@stripe/ui-extension-sdk/ui';
import { useRefreshDashboardData } from '@stripe/ui-extension-sdk/utils/context.js';
import { useState } from 'react';
import { askBackend } from '../ask-backend.ts';
import type { ChangeAnswer, KnownInvoice } from '../backend-data.ts';
import { formatMoney, startOfDay, zoneHere } from '../format.ts';
import { explainRefusal } from '../words.ts';
import { Empty } from './page.tsx';

type Change = 'retry' | 'postpone' | 'sendMailAgain' | 'stop' | 'release';

const OVER: readonly KnownInvoice['state'][] = ['paid', 'over'];

interface ActionsProps {
  readonly context: ExtensionContextValue;
  readonly data: KnownInvoice;
  readonly reload: () => Promise<void>;
}

export function InvoiceActions({ context, data, reload }: ActionsProps) {
  const refreshDashboard = useRefreshDashboardData();
  const [confirming, setConfirming] = useState<Change | undefined>();
  const [busy, setBusy] = useState(false);
  const [told, setTold] = useState<{ text: string; isDone: boolean } | undefined>();
  if (OVER.includes(data.state)) return null;
  if (!data.mayOperate)
    return <Empty>Your role in Stripe lets you read this. Administrators and analysts can change it.</Empty>;

  const carryOut = async (change: Change, extra: Readonly<Record<string, unknown>>) => {
    setBusy(true);
    const told = await tell(context, change, { id: data.id, ...extra });
    setConfirming(undefined);
    setTold(told);
    setBusy(false);
    await reload();
    // The page around the view: an invoice that was just paid says so.
    if (told.isDone) await refreshDashboard();
  };
  const isStopped = data.state === 'stopped' || data.state === 'needs_decision';
  const ask = (change: Change) => () => setConfirming(change);
  return (
    <Box css={{ stack: 'y', gap: 'medium' }}>
      {told && (
        <Banner
          type={told.isDone ? 'default' : 'caution'}
          title={told.text}
          onDismiss={() => setTold(undefined)}
        />
      )}
      <Box css={{ stack: 'x', gap: 'small', wrap: 'wrap' }}>
        {isStopped ? (
          <Button type="primary" onPress={ask('release')}>
            Release
          </Button>
        ) : (
          <Button type="primary" onPress={ask('retry')}>
            Retry now
          </Button>
        )}
        <Button onPress={ask('postpone')}>Postpone</Button>
        <Button onPress={ask('sendMailAgain')}>Send mail again</Button>
        {data.state !== 'stopped' && (
          <Button type="destructive" onPress={ask('stop')}>
            Stop
          </Button>
        )}
      </Box>
      {confirming && (
        <Confirmation
          change={confirming}
          amount={formatMoney(
            context.userContext.locale,
            data.invoice.amountRemaining,
            data.invoice.currency,
          )}
          isBusy={busy}
          isTest={context.environment.mode === 'test'}
          onCancel={() => setConfirming(undefined)}
          onConfirm={(extra) => void carryOut(confirming, extra)}
        />
      )}
    </Box>
  );
}

async function tell(
  context: ExtensionContextValue,
  request: Change,
  parameters: Readonly<Record<string, unknown>>,
): Promise<{ text: string; isDone: boolean }> {
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

const CONFIRMATIONS: Readonly<
  Record<Change, { title: string; confirm: (amount: string) => string; text: string }>
> = {
  retry: {
    title: 'Charge the customer now?',
    confirm: (amount) => `Charge ${amount}`,
    text: 'The payment method of the invoice is charged once. Limits of the card networks still apply.',
  },
  postpone: {
    title: 'Postpone until when?',
    confirm: () => 'Postpone',
    text: 'Until that day at 9 o’clock the invoice is neither charged nor mailed about.',
  },
  sendMailAgain: {
    title: 'Send the mail again?',
    confirm: () => 'Send mail',
    text: 'The customer gets the last mail about this invoice once more, now.',
  },
  stop: {
    title: 'Stop the recovery?',
    confirm: () => 'Stop recovery',
    text: 'Nothing is charged or mailed for this invoice until somebody releases it.',
  },
  release: {
    title: 'Go on with the recovery?',
    confirm: () => 'Release',
    text: 'A payment that waits for a decision is made within minutes, and new instructions are followed.',
  },
};

interface ConfirmationProps {
  readonly change: Change;
  readonly amount: string;
  readonly isBusy: boolean;
  readonly isTest: boolean;
  readonly onCancel: () => void;
  readonly onConfirm: (extra: Readonly<Record<string, unknown>>) => void;
}

function Confirmation({ change, amount, isBusy, isTest, onCancel, onConfirm }: ConfirmationProps) {
  const [why, setWhy] = useState('');
  const [day, setDay] = useState('');
  const { title, confirm, text } = CONFIRMATIONS[change];
  const until = startOfDay(day);
  const isReady = change !== 'postpone' || until !== undefined;
  const extra = {
    ...(why.trim() === '' ? {} : { why: why.trim() }),
    ...(change === 'postpone' ? { until } : {}),
  };
  return (
    <FocusView
      title={title}
      shown
      setShown={(shown) => !shown && onCancel()}
      primaryAction={
        <Button
          type={change === 'stop' ? 'destructive' : 'primary'}
          pending={isBusy}
          disabled={isBusy || !isReady}
          onPress={() => onConfirm(extra)}
        >
          {confirm(amount)}
        </Button>
      }
      secondaryAction={<Button onPress={onCancel}>Cancel</Button>}
    >
      <Box css={{ stack: 'y', gap: 'medium' }}>
        <Inline>{isTest ? `${text} This is test mode: no real money moves.` : text}</Inline>
        {change === 'postpone' && <DateField label="Day" value={day} onChange={setDay} />}
        <TextField
          label="Why (kept in the log)"
          value={why}
          maxLength={500}
          onChange={(event) => setWhy(event.target.value)}
        />
      </Box>
    </FocusView>
  );
}

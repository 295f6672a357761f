/** @jsxRuntime automatic @jsxImportSource react */
/** The question before an operation that the drawer has opened: what it does, to whom, and why. */
import { Box, Button, FocusView, Inline, TextField } from '@stripe/ui-extension-sdk/ui';
import { useState } from 'react';
import type { OperationInView } from '../use-operation.ts';

interface ConfirmationProps {
  readonly operation: OperationInView;
  readonly isTest: boolean;
}

export function Confirmation({ operation: { opened, open, confirm, isBusy }, isTest }: ConfirmationProps) {
  const [reason, setReason] = useState('');
  if (opened === undefined) return null;
  const { title, button, will, isDangerous } = opened.operation;
  const { about } = opened.invoice;
  const given = reason.trim();
  const close = () => {
    setReason('');
    open(undefined);
  };
  return (
    <FocusView
      title={title}
      shown
      setShown={(shown) => !shown && close()}
      primaryAction={
        <Button
          type={isDangerous ? 'destructive' : 'primary'}
          pending={isBusy}
          disabled={isBusy}
          onPress={() => {
            setReason('');
            void confirm(given === '' ? {} : { reason: given });
          }}
        >
          {button}
        </Button>
      }
      secondaryAction={<Button onPress={close}>Cancel</Button>}
    >
      <Box css={{ stack: 'y', gap: 'medium' }}>
        {about && <Inline css={{ font: 'heading' }}>{about}</Inline>}
        {will && <Inline>{will}</Inline>}
        {isTest && <Inline>This is test mode: no real money moves.</Inline>}
        <TextField
          label="Reason (kept in the history)"
          value={reason}
          maxLength={500}
          onChange={(event) => setReason(event.target.value)}
        />
      </Box>
    </FocusView>
  );
}

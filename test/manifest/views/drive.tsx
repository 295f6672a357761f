/** @jsxRuntime automatic @jsxImportSource react */
import AppSettings from '../../../manifest/src/views/AppSettings.tsx';
import CustomerRecovery from '../../../manifest/src/views/CustomerRecovery.tsx';
import InvoiceRecovery from '../../../manifest/src/views/InvoiceRecovery.tsx';
import Onboarding from '../../../manifest/src/views/Onboarding.tsx';
import PaymentRecovery from '../../../manifest/src/views/PaymentRecovery.tsx';
import RecoveryOverview from '../../../manifest/src/views/RecoveryOverview.tsx';
import RecoveryPage from '../../../manifest/src/views/RecoveryPage.tsx';
import type { ViewDriver } from '../view-driver.ts';
import { listParts, plain, readText, show, showDashboard, signAs } from './dashboard.tsx';

const VIEWS = {
  invoice: InvoiceRecovery,
  payment: PaymentRecovery,
  customer: CustomerRecovery,
  overview: RecoveryOverview,
  worklist: RecoveryPage,
  settings: AppSettings,
  onboarding: Onboarding,
};

export const driver: ViewDriver = {
  signIn: (secret, accountId, now) => showDashboard(signAs(secret, 'usr_1', accountId, now)),
  show: async (name, { id, accountId, backend }) => {
    const constants = { backends: { live: backend, test: backend } };
    const { text, press, type, settle, tree } = await show(VIEWS[name], {
      id,
      accountId,
      mode: 'test',
      constants,
    });
    const canPress = (label: string) =>
      listParts(tree()).some(
        (part) => part.type === 'Button' && readText(part) === label && !part.props.disabled,
      );
    return { press, canPress, type, settle, text: () => plain(text()) };
  },
};

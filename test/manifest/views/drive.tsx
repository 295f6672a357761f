/** @jsxRuntime automatic @jsxImportSource react */
import AppSettings from '../../../manifest/private/src/views/AppSettings.tsx';
import CustomerModule from '../../../manifest/private/src/views/CustomerModule.tsx';
import InvoiceModule from '../../../manifest/private/src/views/InvoiceModule.tsx';
import Onboarding from '../../../manifest/private/src/views/Onboarding.tsx';
import WorkDrawer from '../../../manifest/private/src/views/WorkDrawer.tsx';
import type { ViewDriver } from '../view-driver.ts';
import { listParts, plain, readModule, readText, show, showDashboard, signAs } from './dashboard.tsx';

const VIEWS = {
  invoice: InvoiceModule,
  customer: CustomerModule,
  work: WorkDrawer,
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
        (part) =>
          (part.type === 'Button' && readText(part) === label && !part.props.disabled) ||
          readModule(part)?.extraActions.some((action) => action.label === label),
      );
    return { press, canPress, type, settle, text: () => plain(text()) };
  },
};

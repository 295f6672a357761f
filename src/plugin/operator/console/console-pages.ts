/** Every page of the console that only reads, by its address. */

import { customersPage } from './customers/customer-list.tsx';
import { customerPage } from './customers/customer-page.tsx';
import { emailsPage } from './emails/email-list.tsx';
import { emailOutcomesPage } from './emails/email-outcomes-page.tsx';
import { emailPage } from './emails/email-page.tsx';
import { invoicesPage } from './invoices/invoice-list.tsx';
import { invoicePage } from './invoices/invoice-page.tsx';
import { overviewPage } from './overview/overview-page.tsx';
import type { Page } from './page-answer.ts';
import { auditPage } from './pages/audit-page.tsx';
import { checksPage } from './pages/checks-page.tsx';
import { experimentPage } from './pages/experiment-page.tsx';
import { healthPage } from './pages/health-page.tsx';
import { needsPage } from './pages/needs-page.tsx';
import { settingsPage } from './pages/settings-page.tsx';
import { attemptsPage } from './reports/attempt-list.tsx';
import { reportsPage } from './reports/reports-page.tsx';

export const PAGES: Readonly<Record<string, Page>> = {
  '/': overviewPage,
  '/needs': needsPage,
  '/invoices': invoicesPage,
  '/invoices/:id': invoicePage,
  '/customers': customersPage,
  '/customers/:id': customerPage,
  '/emails': emailsPage,
  '/emails/:id': emailPage,
  '/email-outcomes': emailOutcomesPage,
  '/attempts': attemptsPage,
  '/reports': reportsPage,
  '/deliveries': healthPage,
  '/checks': checksPage,
  '/audit': auditPage,
  '/timing': experimentPage,
  '/settings': settingsPage,
};

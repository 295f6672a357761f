/** @jsxRuntime automatic @jsxImportSource react */
/** Pictures of the views for the documentation, drawn from the tree that the tests read. Not how Stripe draws it. */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import type { ComponentType } from 'react';
import AppSettings from '../../../manifest/private/src/views/AppSettings.tsx';
import CustomerModule from '../../../manifest/private/src/views/CustomerModule.tsx';
import InvoiceModule from '../../../manifest/private/src/views/InvoiceModule.tsx';
import Onboarding from '../../../manifest/private/src/views/Onboarding.tsx';
import WorkDrawer from '../../../manifest/private/src/views/WorkDrawer.tsx';
import KeySettings from '../../../manifest/restricted-key/src/views/KeySettings.tsx';
import { answer, answerRequests, type Part, plain, readModule, show, showDashboard } from './dashboard.tsx';
import { CONNECTED, CUSTOMER, ONBOARDING, UNDECIDED, WORK } from './examples.ts';

const VIEWS: Record<string, ComponentType<ExtensionContextValue>> = {
  InvoiceModule,
  CustomerModule,
  WorkDrawer,
  AppSettings,
  Onboarding,
  KeySettings,
};

const REPLIES = {
  invoice: UNDECIDED,
  customer: CUSTOMER,
  work: WORK,
  settings: CONNECTED,
  onboarding: ONBOARDING,
};

/** By view, a page that shows it. */
export async function drawViews(): Promise<ReadonlyMap<string, string>> {
  showDashboard(() => 't=1,v1=x');
  const replies = Object.fromEntries(Object.entries(REPLIES).map(([name, data]) => [name, answer(data)]));
  const putBack = answerRequests({ requests: [], replies });
  const pages = new Map<string, string>();
  for (const [name, View] of Object.entries(VIEWS)) {
    const { tree } = await show(View);
    pages.set(name, drawPage(tree()));
  }
  putBack();
  return pages;
}

export function drawPage(tree: readonly Part[]): string {
  const note = 'Drawn from the tree that the tests read. Stripe draws it in its own look.';
  const width = tree.some(({ type }) => type === 'DetailPagePropertyList') ? 720 : 420;
  const body = tree.map(draw).join('');
  return `<!doctype html><meta charset="utf-8"><style>${STYLE} body { width: ${width}px }</style><main>${body}</main><div class="note">${note}</div>`;
}

const STYLE = `body { margin: 0; font: 14px/1.45 sans-serif; color: #353a44 } main { padding: 20px }
  h1 { font-size: 18px; margin: 0 0 4px } .soft { color: #6c7688 } .stack { display: flex; flex-direction: column; gap: 12px; margin: 8px 0 }
  .row { display: flex; gap: 8px; flex-wrap: wrap; align-items: center } .item { overflow-wrap: anywhere; display: flex; justify-content: space-between; gap: 16px;
  border-top: 1px solid #e3e6ec; padding: 8px 0 } .title { font-size: 20px; font-weight: 600 } .heading { font-weight: 600 }
  .badge { background: #eef0f4; border-radius: 4px; padding: 1px 6px; font-size: 12px; white-space: nowrap } .warning { background: #fdf0d0 }
  .positive { background: #d8f5e0 } .negative, .urgent { background: #fde2e0 } .info { background: #dcebfd }
  button { font: inherit; border: 1px solid #c9ced8; border-radius: 6px; padding: 4px 10px; background: #fff } .primary { background: #635bff; color: #fff }
  .field { border: 1px solid #c9ced8; border-radius: 6px; min-height: 20px; padding: 4px 8px; margin-top: 4px }
  .destructive { color: #c0123c } button:disabled { opacity: .5 } .link { color: #635bff } .module { display: grid; grid-template-columns: 140px 1fr } .banner { background: #f5f6f8; border-radius: 6px; padding: 10px 12px }
  .banner.caution { background: #fdf0d0 } .banner.critical { background: #fde2e0 } .focus { border: 1px solid #c9ced8; border-radius: 8px; padding: 12px 16px; box-shadow: 0 4px 16px #0002 }
  .spinner { color: #6c7688 } .note { font-size: 11px; color: #6c7688; border-top: 1px solid #e3e6ec; padding: 8px 20px }`;

function draw({ type, text, props, parts }: Part): string {
  const inner = parts.map(draw).join('');
  const prop = (name: string) => (typeof props[name] === 'string' ? escapeHtml(String(props[name])) : '');
  const kind = prop('type') || 'neutral';
  switch (type) {
    case '':
      return escapeHtml(text);
    case 'ContextView':
    case 'OnboardingView':
      return `<h1>${prop('title')}</h1><div class="soft">${prop('description')}</div>${drawTasks(props.tasks)}${inner}`;
    case 'SettingsView':
      return `<h1>Settings</h1><div class="soft">${prop('statusMessage')}</div>${inner}`;
    case 'DetailPagePropertyList':
      return drawModule({ type, text, props, parts });
    case 'FocusView':
      return `<div class="focus"><h1>${prop('title')}</h1>${drawLast(parts, 'Button')}</div>`;
    case 'Banner':
      return `<div class="banner ${kind}"><b>${prop('title')}</b> <div>${prop('description')}</div>${inner}</div>`;
    case 'Box': {
      const css = props.css;
      const isRow = typeof css === 'object' && css !== null && 'stack' in css && css.stack === 'x';
      return `<div class="${isRow ? 'row' : 'stack'}">${inner}</div>`;
    }
    case 'Badge':
      return `<span class="badge ${kind}">${inner}</span>`;
    case 'Button':
      return `<button class="${kind}"${props.disabled === true ? ' disabled' : ''}>${inner}</button>`;
    case 'Link':
      return `<span class="link">${inner}</span>`;
    case 'Spinner':
      return '<span class="spinner">Loading…</span>';
    case 'Inline':
      return `<span class="${fontOf(props.css)}">${inner}</span>`;
    case 'ListItem':
      return drawItem(prop('title'), prop('secondaryTitle'), prop('value'), parts);
    case 'TextField':
    case 'DateField':
      return `<label><b>${prop('label')}</b><div class="soft">${prop('description')}</div><div class="field">${prop('value')}</div></label>`;
    case 'PropertyListItem':
      return `<div class="item"><span class="soft">${prop('label')}</span><span>${prop('value')}</span></div>`;
    default:
      return `<div>${prop('title')} ${prop('description')}${inner}</div>`;
  }
}

function drawModule(part: Part): string {
  const { items = [], extraActions = [] } = readModule(part) ?? {};
  const acts = extraActions.map(({ label }) => `<button>${escapeHtml(label)}</button>`).join('');
  const rows = items.map(({ label, values }) => {
    const lines = values.map(
      (one) =>
        `<div>${escapeHtml(one.label?.text ?? '')}<div class="soft">${escapeHtml(one.value?.text ?? '')}</div></div>`,
    );
    return `<div class="item module"><span class="soft">${escapeHtml(label)}</span><div>${lines.join('')}</div></div>`;
  });
  return `<div class="row"><h1>Payment Retry</h1></div><div class="row">${acts}</div>${rows.join('')}`;
}

/** As in a drawer: what is done with it stands at its foot. */
function drawLast(parts: readonly Part[], last: string): string {
  const foot = parts.filter(({ type }) => type === last);
  const rest = parts.filter(({ type }) => type !== last);
  return `${rest.map(draw).join('')}<div class="row">${foot.map(draw).join('')}</div>`;
}

function drawItem(title: string, second: string, value: string, parts: readonly Part[]): string {
  const isValue = ({ type }: Part) => type === 'Badge' || type === 'Box';
  const left = parts
    .filter((part) => !isValue(part))
    .map(draw)
    .join('');
  const right = parts.filter(isValue).map(draw).join('');
  return `<div class="item"><div>${title}${left}<div class="soft">${second}</div></div><div>${value}${right}</div></div>`;
}

function drawTasks(tasks: unknown): string {
  if (!Array.isArray(tasks)) return '';
  return tasks
    .map(
      ({ title, status }) =>
        `<div class="item"><span>${escapeHtml(title)}</span><span class="badge">${status}</span></div>`,
    )
    .join('');
}

function fontOf(css: unknown): string {
  if (typeof css !== 'object' || css === null) return '';
  if ('font' in css) return String(css.font);
  return 'color' in css ? 'soft' : '';
}

function escapeHtml(text: string): string {
  return plain(text).replace(/&/g, '&amp;').replace(/</g, '&lt;');
}

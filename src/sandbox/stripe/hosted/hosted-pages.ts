import express, { type RequestHandler, type Router } from 'express';
import { ApiError } from '../api-error.ts';
import { payInvoice } from '../billing/collect-invoice.ts';
import type { Invoice } from '../objects/wire.ts';
import { BY_ITSELF, type World } from '../sandbox-world.ts';
import { escapeHtml, htmlPage } from './hosted-html.ts';
import { portalPages } from './portal-page.ts';

/** Stripe's pages for customers. Their addresses name a session or an invoice, and with it the account. */
export function hostedPages(platform: World, connected: () => readonly World[]): RequestHandler {
  const pages = new Map<World, RequestHandler>();
  const pagesOf = (world: World): RequestHandler => {
    const known = pages.get(world);
    if (known) return known;
    const fresh = express.Router().use(portalPages(world), hostedInvoicePages(world));
    pages.set(world, fresh);
    return fresh;
  };
  return (req, res, next) => {
    const id = req.path.split('/')[2] ?? '';
    const owner = connected().find((world) => world.portalSessions.has(id) || world.invoices.get(id));
    pagesOf(owner ?? platform)(req, res, next);
  };
}

/** Stripe's hosted invoice page (stripe-facts 3.4): the customer pays with the card on file, and is there to authenticate. */
function hostedInvoicePages(world: World): Router {
  const pages = express.Router();
  pages.get('/i/:id', (req, res) => {
    const invoice = world.invoices.get(req.params.id);
    if (invoice === undefined) res.status(404).type('html').send(htmlPage('There is no such invoice.'));
    else res.type('html').send(invoicePage(invoice));
  });
  pages.post('/i/:id', (req, res) => {
    const invoice = world.invoices.get(req.params.id);
    if (invoice === undefined) {
      res.status(404).type('html').send(htmlPage('There is no such invoice.'));
      return;
    }
    const problem = payOnPage(world, invoice);
    if (problem === undefined) res.redirect(303, `/i/${invoice.id}`);
    else
      res
        .status(problem.status)
        .type('html')
        .send(htmlPage(escapeHtml(problem.body.message)));
  });
  return pages;
}

function payOnPage(world: World, invoice: Invoice): ApiError | undefined {
  world.cause = BY_ITSELF;
  try {
    payInvoice(world, invoice, { by: 'customer' });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function invoicePage(invoice: Invoice): string {
  const amount = `${invoice.amount_remaining} ${invoice.currency.toUpperCase()} (smallest unit)`;
  const button = `<form method="post" action="/i/${invoice.id}"><button>Pay ${amount}</button></form>`;
  const isPayable = invoice.status === 'open' || invoice.status === 'uncollectible';
  return htmlPage(`<p>Invoice ${escapeHtml(invoice.number ?? '')}: ${escapeHtml(String(invoice.status))}</p>
${isPayable ? button : ''}`);
}

import express, { type Router } from 'express';
import { ApiError } from '../api-error.ts';
import { payInvoice } from '../billing/collect-invoice.ts';
import type { Invoice } from '../objects/wire.ts';
import { BY_ITSELF, type World } from '../sandbox-world.ts';
import { escapeHtml, htmlPage } from './hosted-html.ts';

/** Stripe's hosted invoice page (stripe-facts 3.4): the customer pays with the card on file, and is there to authenticate. */
export function hostedInvoicePages(world: World): Router {
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

import type { RequestHandler } from 'express';
import express from 'express';
import type { World } from '../sandbox-world.ts';
import { hostedInvoicePages } from './hosted-invoice-page.ts';
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

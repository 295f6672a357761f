/** The ingredients of a console page, and its result. */
import type { Request } from 'express';
import type { Database } from '../../../core/database/database.ts';
import type { Config } from '../../settings/config.ts';
import type { WorkStatus } from '../../store/reports/work-status.ts';
import type { Finding } from '../checks/finding.ts';
import type { OperationDeps } from '../operations/operation.ts';
import { type ConsolePage, Notice } from './console-layout.tsx';
import type { Reader } from './page-reader.ts';

export interface PageDeps {
  readonly config: Config;
  readonly database: Database;
  readonly operations: OperationDeps;
  /** What `doctor` looks at, looked at now. */
  readonly checks: () => Promise<Finding[]>;
}

export interface Visit {
  readonly request: Request;
  readonly reader: Reader;
  readonly status: WorkStatus;
}

export interface Answer extends ConsolePage {
  readonly status?: number;
}

export type Page = (deps: PageDeps, visit: Visit) => Promise<Answer>;

/** Rows of a page of a list. */
export const ROWS = 50;

/** No id of Stripe is longer or has spaces in it, and PostgreSQL takes no text with a zero in it. */
export const ID = /^[\x21-\x7e]{1,255}$/;

export function notFound(title: string, ...sentences: readonly string[]): Answer {
  return { status: 404, title, main: Notice({ title, sentences }) };
}

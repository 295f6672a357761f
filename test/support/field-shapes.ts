/** What services of the field send, literally as their documentation shows it, each with the month in which that was read. */
import { readdirSync, readFileSync } from 'node:fs';

export interface FieldShape {
  readonly name: string;
  /** Year and month. */
  readonly read: string;
  readonly kind: 'callback' | 'listing' | 'ingest';
  /** Of a callback that is not sent to `/recovery_action`. */
  readonly path?: string;
  readonly body: object;
  /** What it is read as. */
  readonly reads: object;
  /** Of a listed record. */
  readonly fate?: string;
}

const FOLDER = new URL('../fixtures/field/', import.meta.url);

export function listFieldShapes(kind: FieldShape['kind']): FieldShape[] {
  return readdirSync(FOLDER)
    .sort()
    .map((file) => ({ name: file, ...JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) }))
    .filter((shape) => shape.kind === kind);
}

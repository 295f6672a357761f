/** What goes between the process's own thread and the one that the embedded database works on. */

/** The file that says whose the folder is, by its first line. */
export interface LockFile {
  readonly path: string;
  readonly line: string;
}

export interface ThreadData {
  readonly folder: string;
  readonly engine: WebAssembly.Module;
  /** An empty database is laid into it first. */
  readonly isEmpty: boolean;
  /** Nothing is written once it has another first line. */
  readonly lock?: LockFile | undefined;
}

export interface Statement {
  readonly text: string;
  /** When present the text is one statement; otherwise any number. */
  readonly params?: readonly unknown[];
  /** Name of a prepared statement with parameters. */
  readonly name?: string | undefined;
}

export interface Call extends Statement {
  /** Inside a transaction, which begins where none is open. */
  readonly inTransaction?: boolean;
}

export interface NumberedCall {
  readonly id: number;
  /** The last one has none: the database is closed. */
  readonly call?: Call;
}

/** Result of one statement. */
export interface Result {
  readonly names: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** Which values of a row are texts of JSON. */
  readonly json: readonly number[];
  /** The server's command tag: `SELECT`, `COMMIT`, `ROLLBACK` … */
  readonly command?: string | undefined;
}

export type Answer =
  | { readonly id: number; readonly results: readonly Result[] }
  | { readonly id: number; readonly error: ErrorParts };

/** An error's class does not come through: its name and what it carries identify it. */
export interface ErrorParts extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly message: string;
}

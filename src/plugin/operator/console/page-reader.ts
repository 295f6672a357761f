/** A page's reader: who it is, how the console is named and figures are written, and which form led here. */
import type { Request, Response } from 'express';
import type { DateTime } from 'luxon';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { z } from 'zod';
import { rootFrom } from '../../../core/web/page-place.ts';
import type { SignedIn } from '../../../core/web/sign-in/sessions.ts';
import { operatorOf } from '../../../core/web/sign-in/sign-in-desk.ts';

export interface Reader extends Pick<SignedIn, 'name' | 'role' | 'token'> {
  /** How the page names the console's root. */
  readonly root: string;
  /** IANA zone of the account. */
  readonly zone: string;
  /** BCP 47 tag, for figures. */
  readonly locale: string;
  readonly now: DateTime;
  /** What the reader had entered into a form when the session was over: all its fields, and its name as `do`. */
  readonly kept: Readonly<Record<string, string>>;
  /** The answer to the form that led to this page. */
  readonly answer: OperationAnswer | undefined;
}

/** What an operation came to, which is shown above the page of the form that asked for it. */
export interface OperationAnswer {
  readonly status: number;
  readonly title: string;
  readonly isGood: boolean;
  readonly lines: readonly string[];
  /** The page without it, below the root. */
  readonly back: string;
  /** Answers by account and id, where several rows were chosen. */
  readonly rowAnswers?: Readonly<Record<string, Pick<OperationAnswer, 'status' | 'title' | 'lines'>>>;
  /** What `undo` takes, where it can be undone. */
  readonly undo?: Readonly<Record<string, string>> | undefined;
}

export const ReaderContext = createContext<Reader | undefined>(undefined);

/** The reader of the page that is rendered. */
export function useReader(): Reader {
  const reader = useContext(ReaderContext);
  if (!reader) throw new Error('A part of a page was rendered without its reader.');
  return reader;
}

const keptFields = z.record(z.string(), z.string()).catch({});

export function readerOf(
  request: Request,
  response: Response,
  clock: { now: DateTime; zone: string },
): Reader {
  const { name, role, token } = operatorOf(response);
  const { answer } = response.locals;
  const kept = keptFields.parse(request.query);
  return { name, role, token, root: rootFrom(request), locale: localeOf(request), kept, answer, ...clock };
}

function localeOf(request: Request): string {
  const [first = 'en'] = request.acceptsLanguages();
  try {
    return Intl.getCanonicalLocales(first)[0] ?? 'en';
  } catch {
    return 'en';
  }
}

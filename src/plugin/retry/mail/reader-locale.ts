import type { Request } from 'express';
import { chooseLocale } from '../../mails/languages.ts';

/** The first browser language (`Accept-Language`) with texts, else the merchant's. */
export function chooseReaderLocale(request: Request, merchantLocale: string): string {
  return chooseLocale(request.acceptsLanguages(), merchantLocale);
}

/** How the person at the Dashboard reads times; the views format what they get as data by themselves. */
import { DateTime, IANAZone } from 'luxon';
import { z } from 'zod';
import { capitalize } from '../../../core/base/sentence-case.ts';
import type { Reason } from '../../reasons/reason.ts';
import { isLanguageTag } from '../../settings/schema/setting-forms.ts';
import type { Say } from '../operations/operation.ts';
import { money } from '../text/describe-code.ts';
import { EXACTLY } from '../text/describe-operation.ts';
import { describeReason } from '../text/describe-reason.ts';
import { exactMoment } from '../text/exact-moment.ts';

/** Parameters of every request. Unknown values are read as English in UTC. */
export const readerParameters = z.object({
  locale: z.string().refine(isLanguageTag).catch('en-US'),
  timeZone: z.string().refine(IANAZone.isValidZone).catch('UTC'),
});
export type Reader = Readonly<z.output<typeof readerParameters>>;

/** `Mar 3, 2026, 9:00 AM`. */
export function formatMoment({ locale, timeZone }: Reader, at: DateTime): string {
  return at.setZone(timeZone).setLocale(locale).toLocaleString(DateTime.DATETIME_MED);
}

/** `Mar 3, 2026`. */
export function formatDay({ locale, timeZone }: Reader, iso: string): string {
  return DateTime.fromISO(iso).setZone(timeZone).setLocale(locale).toLocaleString(DateTime.DATE_MED);
}

export function explain(reader: Reader, reason: Reason): string {
  const sentence = describeReason(reason, {
    name: (what) => `the ${what}`,
    moment: (at) => formatMoment(reader, at),
  });
  return capitalize(sentence);
}

/** Sentences about operations; the view names the invoice. */
export function sayTo(reader: Reader): Say {
  return {
    ...EXACTLY,
    invoice: () => 'the invoice',
    moment: (iso) => formatMoment(reader, DateTime.fromISO(iso)),
    money: (amount, currency) => money(amount, currency, reader.locale),
    reason: (reason) => explain(reader, reason),
    pause: ({ reason }) => reason,
    technical: () => '',
  };
}

const EXACT = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g;

/** The same text with the exact moments in it as the reader writes them. */
export function inReadersTime(reader: Reader, text: string): string {
  return text.replace(EXACT, (moment) => {
    const at = DateTime.fromFormat(moment, "yyyy-MM-dd HH:mm:ss 'UTC'", { zone: 'utc' });
    return exactMoment(at) === moment ? formatMoment(reader, at) : moment;
  });
}

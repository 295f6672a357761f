import type { Reader } from '../page-reader.ts';

export interface PostponeFieldsProps {
  readonly reader: Reader;
  /** Of customers whose own is not known. */
  readonly timeZone: string;
}

/** A day, a time, and on whose clocks: those of the page's times, or of the setting where the reader's are not known. */
export function PostponeFields({ reader, timeZone }: PostponeFieldsProps) {
  const usual = reader.zone === 'UTC' ? timeZone : reader.zone;
  return (
    <>
      <label>
        Until
        <input name="until" type="datetime-local" required />
      </label>
      <label>
        Time zone
        <input name="zone" list="zones" value={usual} required maxLength={60} autocomplete="off" />
      </label>
      <datalist id="zones">
        {[...new Set([usual, timeZone, 'UTC'])].map((zone) => (
          <option value={zone} />
        ))}
      </datalist>
    </>
  );
}

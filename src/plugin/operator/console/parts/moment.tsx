import type { DateTime } from 'luxon';
import { toIso } from '../../../../core/base/clock.ts';
import { exactMoment } from '../../text/exact-moment.ts';
import type { Reader } from '../page-reader.ts';

interface MomentProps {
  readonly at: DateTime;
  readonly reader: Reader;
  /** `day`: without the time. `short`: without the year. */
  readonly as?: keyof typeof FORMS;
}

const FORMS = { exact: 'd LLL yyyy, HH:mm', day: 'd LLL yyyy', short: 'd LLL, HH:mm' };

/** A time in the reader's zone; the pointer shows it in UTC. */
export function Moment({ at, reader, as = 'exact' }: MomentProps) {
  const there = at.setZone(reader.zone).setLocale('en');
  return (
    <time datetime={toIso(at)} title={exactMoment(at)}>
      {there.toFormat(FORMS[as])}
    </time>
  );
}

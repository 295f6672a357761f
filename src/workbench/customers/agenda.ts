import type { DateTime } from 'luxon';

/** What people will do. Of two things at one instant, the one that was entered first comes first. */
export interface Agenda {
  add(at: DateTime, act: () => void | Promise<void>): void;
  nextAt(): DateTime | undefined;
  runDue(now: DateTime): Promise<void>;
}

interface Entry {
  at: DateTime;
  act: () => void | Promise<void>;
}

export function createAgenda(): Agenda {
  const entries: Entry[] = [];
  const first = () =>
    entries.reduce<Entry | undefined>(
      (best, entry) => (best === undefined || entry.at < best.at ? entry : best),
      undefined,
    );
  return {
    add: (at, act) => {
      entries.push({ at, act });
    },
    nextAt: () => first()?.at,
    runDue: async (now) => {
      for (let entry = first(); entry !== undefined && entry.at <= now; entry = first()) {
        entries.splice(entries.indexOf(entry), 1);
        await entry.act();
      }
    },
  };
}

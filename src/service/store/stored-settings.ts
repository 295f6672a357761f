import type { Queryable } from '../../core/database/database.ts';

/** Stores a setting unless it has a value, and returns the value it has. */
export async function keepSetting(
  db: Queryable,
  organization: string,
  name: string,
  value: string,
): Promise<string> {
  const [row] = await db.query<{ value: string }>(
    `insert into retry_service.settings (organization, name, value) values ($1, $2, $3)
     on conflict (organization, name) do update set value = settings.value
     returning value`,
    [organization, name, value],
  );
  return row?.value ?? value;
}

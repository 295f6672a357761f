-- A key is made by the package, for its own plugin, and follows from the settings at each start; or it is made by a person.
-- The id names a key to people and tells nothing of it; `hint` is the end of its secret, to know it by.
alter table retry_service.api_keys add column id text not null
  default ('key_' || left(replace(gen_random_uuid()::text, '-', ''), 12));
alter table retry_service.api_keys add column made_by text not null default 'package';
alter table retry_service.api_keys add column name text not null default '';
alter table retry_service.api_keys add column hint text;
alter table retry_service.api_keys add column requests_per_second integer;
alter table retry_service.api_keys add column last_used_at timestamptz;
-- A rotated key is good until `expires_at`; `replaced_by` is the key that was made for it.
alter table retry_service.api_keys add column expires_at timestamptz;
alter table retry_service.api_keys add column replaced_by text;
alter table retry_service.api_keys add column revoked_at timestamptz;
create unique index api_keys_id on retry_service.api_keys (id);

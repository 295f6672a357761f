-- Who is signed in to the console. Only a hash of the id is kept: the id itself is in the browser alone.
create table payment_retry.sessions (
  id_hash text primary key,
  name text not null,
  -- What the sign-in rested on, signed: a session whose setting was changed is over.
  access text not null,
  created_at timestamptz not null,
  seen_at timestamptz not null
);
create index sessions_seen_at on payment_retry.sessions (seen_at);
create index sessions_created_at on payment_retry.sessions (created_at);

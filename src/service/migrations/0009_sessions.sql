-- Who is signed in to the page of API keys of a service that runs by itself. Only a hash of the id is kept: the id itself is in the browser alone.
create table retry_service.sessions (
  id_hash text primary key,
  name text not null,
  -- What the sign-in rested on, signed: a session whose setting was changed is over.
  access text not null,
  created_at timestamptz not null,
  seen_at timestamptz not null
);
create index sessions_seen_at on retry_service.sessions (seen_at);
create index sessions_created_at on retry_service.sessions (created_at);

-- A key tells the organization that it was issued to.
create index api_keys_hash on retry_service.api_keys (hash);

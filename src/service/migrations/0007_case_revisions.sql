-- Numbers the decisions of an organization in their order: a reader that has seen one asks for those after it. Null until
-- the first decision. Unlike `updated_at` it has no ties and does not go back with the clock.
alter table retry_service.cases add column revision bigint;
update retry_service.cases c set revision = o.place
  from (select organization, invoice_id,
               row_number() over (partition by organization order by updated_at, invoice_id) as place
        from retry_service.cases where reason is not null) o
  where o.organization = c.organization and o.invoice_id = c.invoice_id;
create unique index cases_revision on retry_service.cases (organization, revision);

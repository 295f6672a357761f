-- Customers of whom nothing personal is kept, whatever is told of them later.
create table retry_service.forgotten_customers (
  organization text        not null,
  customer_id  text        not null,
  forgotten_at timestamptz not null,
  primary key (organization, customer_id)
);

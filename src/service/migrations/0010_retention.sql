-- What is old is found without reading what is not.
create index invoices_settled on retry_service.invoices (updated_at, organization, id) where state <> 'INVOICE_STATE_UNPAID';

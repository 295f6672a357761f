-- What the timing policy has learned, as JSON text: one row for each organization, written with what it was learned from.
create table retry_service.policy_states (
  organization text        not null primary key,
  state        text        not null,
  updated_at   timestamptz not null
);

-- Each answer to a payment teaches once.
alter table retry_service.transactions add column is_learned boolean not null default false;

-- Why a time was chosen, in sentences (one a line), what it should bring in minor units, and how likely the choice was:
-- another policy can be judged later by what this one did. `arm` is engine, spread or rule.
alter table retry_service.recovery_actions add column reasons text not null default '';
alter table retry_service.recovery_actions add column expected_gain bigint;
alter table retry_service.recovery_actions add column propensity double precision;
alter table retry_service.recovery_actions add column arm text;

create index invoices_customer on retry_service.invoices (organization, customer_id);

-- Whether a case keeps the static schedule, with which chance in percent and by which seed that was drawn: set at the first
-- decision for which it matters, never changed. Cases that began before there was a holdout belong to none.
alter table retry_service.cases add column is_held_out boolean;
alter table retry_service.cases add column holdout_percent integer;
alter table retry_service.cases add column holdout_seed integer;
update retry_service.cases set is_held_out = false, holdout_percent = 0, holdout_seed = 0;
create index cases_holdout on retry_service.cases (organization, opened_at) where holdout_percent > 0;

-- Why the latest decision about the case is what it is, in sentences, one a line.
alter table retry_service.cases add column reasons text not null default '';

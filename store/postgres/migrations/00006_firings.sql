-- +goose Up
-- Runs of triggers wait until they are admitted. When an end was recorded, the database's own
-- clock tells.
alter table svc_runs add column admitted boolean not null default true, add column recorded timestamptz;
create index on svc_runs (started, id) where not admitted and finished is null;
create index on svc_runs (recorded, id) where recorded is not null;

-- Callers of hooks who wait for the answer of a run, which is sealed for them.
create table svc_callers (
  run    uuid primary key,
  since  timestamptz not null,
  key    bytea not null,
  answer bytea -- null until it is there
);

-- Numbers of the changes of activations: one row, which who changes one holds until that is done.
create table svc_activation_changes (
  one  boolean primary key check (one),
  last bigint not null
);
insert into svc_activation_changes values (true, 0);
alter table svc_activations add column change bigint not null default 0;

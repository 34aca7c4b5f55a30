-- +goose Up
-- What the process of a lease tells of itself, in JSON, and how far its clock is ahead.
alter table svc_leases add column about text not null default '', add column ahead interval not null default '0';
-- What tells this database from others whose cluster has the same name.
alter table svc_cluster add column id uuid not null default gen_random_uuid();

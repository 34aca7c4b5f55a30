-- +goose Up
-- The named keys of a service, by digests, and how they were used.
create table svc_named_keys (
  name     text collate "C" primary key,
  digest   bytea not null unique, -- SHA-256
  about    text not null,         -- JSON
  used     timestamptz not null default '0001-01-01 00:00:00+00', -- to the minute; that for never
  day      text not null default '', -- that of the bytes, such as 2026-11-22
  bytes    bigint not null default 0,
  full_at  timestamptz not null default '0001-01-01 00:00:00+00' -- when as many requests as in a minute may come at once again
);

-- The number of the state of these keys: one row, which who adds or removes one holds until that
-- is done.
create table svc_named_keys_state (
  one  boolean primary key check (one),
  last bigint not null
);
insert into svc_named_keys_state values (true, 1);

-- The places of runs that were begun with keys which may have so many: those that a process keeps,
-- and those that a run has until it ends.
create table svc_key_places (
  id    uuid primary key,
  key   bytea not null references svc_named_keys (digest) on delete cascade,
  until timestamptz not null,
  run   uuid unique
);
create index on svc_key_places (key);

-- +goose Up
-- Runs that many processes share. Their ids are UUIDs of version 7, so a day is a range: the
-- partitions, which a service makes by itself, go when nothing of their day is kept any more.
create table svc_runs (
  id           uuid not null,
  workflow     text collate "C" not null,
  started      timestamptz not null,
  finished     timestamptz,                -- null until the end
  status       text not null,
  resumed_from text collate "C",
  started_by   text,                       -- run.StartedBy as JSON
  frames       integer not null default 0, -- how many there are
  bytes        bigint not null,            -- of what the run has put down
  last_frame   timestamptz,
  cancelled    boolean not null default false,
  epoch        integer not null default 0, -- how often it was taken; only the last taker writes
  takes        integer not null default 0, -- since the last frame
  driver       text collate "C",           -- who took it last; null if it was left
  parked       timestamptz,                -- until then nobody is to take it
  primary key (id)
) partition by range (id);
create index on svc_runs (started, id);
create index on svc_runs (workflow, started, id);
create index on svc_runs (resumed_from) where resumed_from is not null;
create index on svc_runs (started, id) where finished is null;
create index on svc_runs (finished, id) where finished is not null;

-- What each of them was started with.
create table svc_starts (
  id       uuid not null,
  summary  text not null,  -- text, as jsonb knows no \u0000 and keeps no order
  inputs   text not null,
  about    text not null,  -- where large ones belong
  document bytea not null, -- digest
  primary key (id)
) partition by range (id);

-- The workflows of a day's runs, each once; day is the smallest id of the day.
create table svc_documents (
  day    uuid not null,
  digest bytea not null,
  text   text not null,
  primary key (day, digest)
) partition by range (day);

create table svc_frames (
  run   uuid not null,
  seq   integer not null,
  name  text not null,
  about text not null,   -- where large values belong
  data  text not null,   -- JSON
  upto  bigint not null, -- bytes of names and data of the run up to its end
  sum   bigint not null, -- CRC-32C, which tells whether somebody has changed it
  primary key (run, seq)
) partition by range (run);

-- Values that are large, once for their run, in pieces.
create table svc_values (
  run    uuid not null,
  digest bytea not null, -- SHA-256 of the whole
  piece  integer not null,
  data   text not null,
  primary key (run, digest, piece)
) partition by range (run);

-- Idempotency keys, which outlive their runs.
create table svc_keys (
  key     bytea primary key,
  run     uuid not null,
  digest  text not null,
  started timestamptz not null
);
create index on svc_keys (started);

-- The places of runs that go on: whoever has one has its row.
create table svc_places (
  place integer primary key,
  run   uuid unique
);

-- Runs that others go on with, while these have not ended.
create table svc_resumed (
  run text collate "C" primary key,
  by  uuid not null
);

-- Until when processes that drive runs are alive.
create table svc_leases (
  driver text collate "C" primary key,
  until  timestamptz not null
);

-- Whose database this is: one row.
create table svc_cluster (
  one  boolean primary key check (one),
  name text not null
);

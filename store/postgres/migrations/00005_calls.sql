-- +goose Up
-- Attempts at nodes that other processes make than the one that drives their run, until that
-- has ended.
create table svc_calls (
  id        uuid primary key,
  placed    bigint generated always as identity,
  run       uuid not null,
  path      text collate "C" not null,
  number    integer not null,
  once      boolean not null,
  queue     text not null,
  inputs    bytea not null, -- JSON
  worker    text,           -- who has begun it last
  cancelled boolean not null default false,
  progress  text,
  outcome   bytea           -- JSON; null until it is known
);
create index on svc_calls (run);

-- +goose Up
-- Small values that outlive runs; without a workflow, of all of them.
create table svc_state (
  workflow text collate "C" not null,
  key      text collate "C" not null,
  value    text not null, -- JSON
  revision bigint not null,
  until    timestamptz,
  primary key (workflow, key)
);
create index on svc_state (until) where until is not null;

-- Never the same twice: revisions of values, and when items were last there.
create sequence svc_state_changes;

-- Which items of lists were seen.
create table svc_seen (
  workflow text collate "C" not null,
  key      text collate "C" not null,
  item     bytea not null, -- the SHA-256 of one that is long
  size     integer not null,
  touched  bigint not null default nextval('svc_state_changes'),
  primary key (workflow, key, item)
);

-- Which of them are lent, to whom.
create table svc_lent (
  holder   text collate "C" not null,
  workflow text collate "C" not null,
  key      text collate "C" not null,
  item     bytea not null,
  size     integer not null,
  keep     integer not null,
  at       timestamptz not null,
  back     boolean not null default false, -- given back
  primary key (holder, workflow, key, item)
);
create index on svc_lent (workflow, key, item);

-- About what all of it takes: one row.
create table svc_state_size (
  one   boolean primary key check (one),
  bytes bigint not null
);
insert into svc_state_size values (true, 0);

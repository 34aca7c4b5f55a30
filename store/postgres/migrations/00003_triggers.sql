-- +goose Up
-- The workflows whose triggers are armed, each with its own copy of the document.
create table svc_activations (
  workflow text collate "C" primary key,
  about    text not null, -- JSON
  document text not null
);

-- What triggers remember.
create table svc_trigger_memory (
  workflow text collate "C" not null,
  node     text collate "C" not null,
  memory   text not null, -- JSON
  primary key (workflow, node)
);

-- Who lets triggers fire, and until when that is known: one row.
create table svc_arming (
  one   boolean primary key check (one),
  epoch bigint not null, -- how often that was somebody else
  until timestamptz not null
);

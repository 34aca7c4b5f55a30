-- +goose Up
create sequence svc_changes;

-- The workflows that there are, at their current revisions.
create table svc_workflows (
  id       text collate "C" primary key,
  revision integer not null,
  created  timestamptz not null,
  change   bigint not null  -- never the same twice, whatever is deleted and made again
);

-- What each of them is, and was.
create table svc_revisions (
  id       text collate "C" not null references svc_workflows on delete cascade,
  revision integer not null,
  saved    timestamptz not null,
  about    text not null,   -- workflow.Meta as JSON; text, as jsonb knows no \u0000
  digest   text not null,
  weight   bigint not null, -- about how many bytes of memory it takes when it is loaded
  document text not null,
  primary key (id, revision)
);

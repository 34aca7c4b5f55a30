-- +goose Up
-- Who has changed what, and calls that were refused, in the order in which all instances told it.
create table svc_audit (
  id   bigint generated always as identity primary key,
  line text not null -- JSON
);

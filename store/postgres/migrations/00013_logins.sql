-- +goose Up
-- Logins that are under way, and what became of them. What others must not read is sealed.
create table svc_logins (
  id      text collate "C" primary key,
  network text not null,
  state   bytea unique,         -- SHA-256 of what the browser brings back; null once it has come
  sealed  bytea not null,
  until   timestamptz not null, -- for the browser, and then for who asks what became of it
  outcome text                  -- JSON; null until it is known
);
create index on svc_logins (until);

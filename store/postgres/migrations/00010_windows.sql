-- +goose Up
-- The windows of accounts, by places. One that has no row is open, and so is one whose time has
-- come. An account is told by a digest.
create table svc_windows (
  account text collate "C" not null,
  place   integer not null,
  opens   timestamptz not null,
  holder  uuid, -- null once its request was answered
  primary key (account, place)
);
create index on svc_windows (opens);

-- Until when networks want no more requests of some calls.
create table svc_closed_calls (
  account text collate "C" not null,
  call    text collate "C" not null,
  until   timestamptz not null,
  primary key (account, call)
);

-- +goose Up
-- Calls that are placed together have one task at Temporal; null is one of its own, with the call's id.
alter table svc_calls add column task uuid;
-- Who begins a run finds a place that nobody has without looking at those that are taken.
create index on svc_places (place) where run is null;

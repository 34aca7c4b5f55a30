-- +goose Up
-- Whether places are taken beyond a bound that has become less is seen without looking at all of them.
create index on svc_places (place) where run is not null;

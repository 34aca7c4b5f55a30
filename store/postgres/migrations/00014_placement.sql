-- +goose Up
-- Which nodes of the cluster's runs are called by others than who drives them: TYPE=QUEUE.
alter table svc_cluster add column place text[] not null default '{}';

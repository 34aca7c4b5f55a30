// Package postgres keeps workflows and runs in a PostgreSQL database, for services on several
// machines that share them: [Store] passes the suite that the files of package store pass, and
// [Runs] that of shared runs; [Activations] and [State] are what triggers and nodes remember.
//
// Its tables are made by [Migrate], and by nothing else but for the partitions that have the
// runs of a day: a service that finds others refuses to start. All it does works through a pooler of transactions. Where rules come
// from: docs/design.md, Stores.
package postgres

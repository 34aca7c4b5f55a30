// Package postgres stores workflows and runs in a PostgreSQL database that services on several
// machines share. [Store] stores workflows, [Runs] runs, [Activations] the state of triggers, and
// [State] the state of nodes. They pass the same suites of package storetest as the other stores.
//
// [Migrate] creates the tables; only the daily partitions for runs are created later. A service
// whose tables have another version refuses to start. Everything except Migrate works through a
// connection pooler in transaction mode. For the reasons behind the rules, see docs/design.md,
// Stores.
package postgres

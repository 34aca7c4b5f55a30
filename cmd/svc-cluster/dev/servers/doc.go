// Package servers starts the two servers of a cluster, Temporal and PostgreSQL, on one machine,
// without accounts, containers or passwords to manage. Their data is in files and survives a kill.
// They are for trials, development and tests; docs/cluster.md describes production servers.
package servers

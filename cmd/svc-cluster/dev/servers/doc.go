// Package servers starts the two servers that a cluster of Svc needs, Temporal's and
// PostgreSQL, for one machine: without accounts, containers or passwords to think of. What
// they remember lies in files of their own, and is there again after a kill. They are for
// trying, developing and testing; docs/cluster.md tells how the real ones are set up.
package servers

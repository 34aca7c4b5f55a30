// Package cluster lets runs go on whatever happens to processes: Temporal decides when and
// where a run is driven. A run is one durable task, the workflow "svc.run", which knows no
// graph: it asks a worker to drive the run, again and again until it has ended, and sleeps
// while the run only waits. How a run is driven, and what is remembered of it, is the
// business of the [Driver].
//
// What Temporal gets to see are ids, numbers and times: no document, value, text of an error
// or secret. It is the only package that imports Temporal's SDK.
package cluster

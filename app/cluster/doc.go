// Package cluster runs asynchronous runs in several processes, so that a run continues when a
// process stops or dies. Temporal decides when and where a run is driven: each run is one
// Temporal workflow, "svc.run", that starts an activity which drives the run, again and again
// until the run has ended, and sleeps while the run only waits. The workflow knows no graph; a
// [Driver] drives the run, and the database has what is recorded of it.
//
// Temporal sees only ids, numbers and times: no document, value, error text or secret. This is
// the only package that imports Temporal's SDK.
package cluster

// Package e2e tests what happens to runs when processes of a cluster are killed. The workers and
// Temporal are separate processes, for which the test binary starts itself.
package e2e

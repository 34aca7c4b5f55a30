// Package serving is shared by the servers of Svc: flags, listeners, API key, draining and
// stopping. Each program chooses its stores of workflows and runs.
package serving

// Package trigger fires the triggers of active workflows. It stores which workflows are active,
// waits for their sources (schedules, hooks, polls, watches), and enqueues a run for each firing,
// so that no firing is lost and none starts two runs.
//
// It knows kinds of sources but no node types, and it starts no run itself: its [Host] does.
// [Service] works for one process, [Shared] for many, of which one leads. A trigger saves its
// memory to disk before it acts: the last handled time, the firings being enqueued, and the runs
// in progress. docs/flows.md follows one firing through the functions.
package trigger

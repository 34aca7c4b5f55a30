package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/httpapi/client"
)

// lastRun stands for the run that was started last, where an id is asked for.
const lastRun = "last"

// wholeID is how long the id of a run is, in bytes.
const wholeID = len("0199a0c4-7d1e-7000-8000-5a3b1c2d4e5f")

// runIDHelp explains what commands take for a run.
const runIDHelp = "Id of the run, or its beginning where no other run has the same, or last for the newest."

// runID returns the id of the run that a user means: a whole id, the beginning of one,
// or last. Only a whole one is not looked up.
func runID(ctx context.Context, server *client.Client, meant string) (string, error) {
	if meant == lastRun {
		page, err := server.Runs(ctx, run.Query{Limit: 1})
		switch {
		case err != nil:
			return "", err
		case len(page.Items) == 0:
			return "", errors.New("the server keeps no run; `svc run --server URL` starts one")
		}
		return page.Items[0].RunID, nil
	}
	if len(meant) >= wholeID {
		return meant, nil
	}
	var found []run.Record
	q := run.Query{Limit: run.MaxLimit}
	for {
		page, err := server.Runs(ctx, q)
		if err != nil {
			return "", err
		}
		for _, r := range page.Items {
			if strings.HasPrefix(r.RunID, strings.ToLower(meant)) {
				found = append(found, r)
			}
		}
		if q.Cursor = page.NextCursor; q.Cursor == "" {
			return onlyRun(found, meant)
		}
	}
}

// onlyRun returns the id of the only run that was found.
func onlyRun(found []run.Record, meant string) (string, error) {
	const shown = 3
	switch n := len(found); n {
	case 0:
		return "", noRun(meant)
	case 1:
		return found[0].RunID, nil
	default:
		ids := make([]string, 0, shown+1)
		for _, r := range found[:min(n, shown)] {
			ids = append(ids, oneLine(r.RunID)+" ("+oneLine(r.WorkflowID)+")")
		}
		if n > shown {
			ids = append(ids, "…")
		}
		return "", usagef("%d runs begin with %q: %s; give more of the id", n, meant, strings.Join(ids, ", "))
	}
}

func noRun(id string) error {
	return fmt.Errorf("there is no run %s; `svc runs list` shows those that are kept", oneLine(id))
}

// aboutRun words an error of the server about the run with that id.
func aboutRun(id string, err error) error {
	if errors.Is(err, &client.Error{Code: client.CodeNotFound}) {
		return noRun(id)
	}
	return err
}

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/svcflow/svc/cmd/svc/internal/mirror"
)

type syncCmd struct {
	Dir    string `arg:"" complete:"file" help:"Directory with workflow files, at any depth. Hidden files and *.test.json are ignored."`
	DryRun bool   `help:"Only show what would change."`
	Yes    bool   `short:"y" help:"Make the changes without asking."`
	Prune  bool   `help:"Delete workflows that were deleted on the other side."`
	Prefer string `enum:",here,server" default:"" placeholder:"SIDE" help:"If both sides have changed a workflow, take the version of this side: here or server."`
	outputFlag
	serverFlags
}

// Help implements kong.HelpProvider.
func (c *syncCmd) Help() string {
	return `Synchronizes the workflows of a directory and a server: shows the changes, asks, and makes them. Changes that one side has made since the last sync go to the other side; new files are saved. If both sides have changed a workflow, that is a conflict: svc prints both versions and changes nothing at all. Workflows of the server that never were in the directory are left alone. Nothing is deleted without --prune.

DIR/.svc-sync.json remembers, for each server, what both sides had in common. It holds no secrets and belongs with the files.

Examples:

    svc sync flows --server https://svc.example.org --dry-run
    svc sync flows --prune --yes`
}

// syncAnswer is the answer of svc sync.
type syncAnswer struct {
	Server  string          `json:"server"`
	Done    bool            `json:"done"` // false if the changes were only shown
	Changes []mirror.Change `json:"changes"`
}

// Run synchronizes.
func (c *syncCmd) Run(ctx context.Context, h *host) error {
	server, err := c.client(h)
	if err != nil {
		return err
	}
	s := mirror.Sync{Dir: c.Dir, Server: server, Ignore: isTest, Decode: decode}
	if err := s.Load(ctx); err != nil {
		return err
	}
	changes := s.Plan(c.Prune, c.Prefer)
	answer := syncAnswer{Server: server.URL(), Changes: changes}
	if !c.asJSON() {
		if err := h.print(changesText(changes)); err != nil {
			return err
		}
	}
	if n := count(changes, mirror.Conflict); n > 0 {
		return errors.Join(c.answer(h, answer, ""), fmt.Errorf("%s; nothing was done. See the differences with `svc workflows diff FILE`, "+
			"and choose a side with --prefer here or --prefer server", plural(n, "workflow was", "workflows were")+" changed on both sides"))
	}
	if ok, err := c.agreed(h, changes); err != nil || !ok {
		return errors.Join(err, c.answer(h, answer, ""))
	}
	answer.Done = true
	for i := range changes {
		if err := s.Apply(ctx, &changes[i]); err != nil {
			return errors.Join(err, s.Save())
		}
	}
	if err := s.Save(); err != nil {
		return err
	}
	return c.answer(h, answer, doneText(changes))
}

// doneText is the line after the changes were made.
func doneText(changes []mirror.Change) string {
	if n := len(changes) - count(changes, mirror.Keep); n > 0 {
		return "done: " + plural(n, "change", "changes") + "\n"
	}
	return ""
}

// agreed reports whether to make the changes: --yes, or the user says so.
func (c *syncCmd) agreed(h *host, changes []mirror.Change) (bool, error) {
	switch n := len(changes) - count(changes, mirror.Keep); {
	case c.DryRun:
		return false, nil
	case n == 0, c.Yes:
		return true, nil
	case !h.canAsk():
		return false, usagef("nobody can be asked whether to do this; give --yes, or --dry-run to only see it")
	}
	if _, err := fmt.Fprint(h.stderr, "Do this? [y/N] "); err != nil {
		return false, err
	}
	line, _ := bufio.NewReader(h.stdin).ReadString('\n') // without a line the answer is no
	return strings.EqualFold(strings.TrimSpace(line), "y") || strings.EqualFold(strings.TrimSpace(line), "yes"), nil
}

// changesText formats the changes, one per line.
func changesText(changes []mirror.Change) string {
	var b strings.Builder
	for i := range changes {
		fmt.Fprintf(&b, "%-9s %s  %s\n", changes[i].Action, oneLine(changes[i].ID), oneLine(changes[i].Why))
	}
	if b.Len() == 0 {
		return "nothing to do\n"
	}
	return b.String()
}

func count(changes []mirror.Change, what mirror.Action) (n int) {
	for i := range changes {
		if changes[i].Action == what {
			n++
		}
	}
	return n
}

// testSuffix ends the names of files with tests.
const testSuffix = ".test.json"

func isTest(path string) bool { return strings.HasSuffix(path, testSuffix) }

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
	Dir    string `arg:"" complete:"file" help:"Directory with workflow files, at any depth; *.test.json and hidden ones are passed over."`
	DryRun bool   `help:"Only show what would change."`
	Yes    bool   `short:"y" help:"Do it without asking."`
	Prune  bool   `help:"Delete on the server what was deleted here, and here what was deleted on the server."`
	Prefer string `enum:",here,server" default:"" placeholder:"SIDE" help:"Where both sides have changed a workflow, take the one of this side: here or server."`
	outputFlag
	serverFlags
}

// Help implements kong.HelpProvider.
func (c *syncCmd) Help() string {
	return `Brings a directory and a server to the same workflows: shows what would change, asks, and does it. What was changed on one side since the last time goes to the other; a new file is saved. What both sides have changed is a conflict: both versions are named, and nothing at all is done. Workflows of the server that never were in the directory are left alone. Nothing is deleted without --prune.

DIR/.svc-sync.json remembers, for each server, what both sides had in common. It holds no secrets and belongs with the files.

Examples:

    svc sync flows --server https://svc.example.org --dry-run
    svc sync flows --prune --yes`
}

// syncAnswer is what svc sync answers.
type syncAnswer struct {
	Server  string          `json:"server"`
	Done    bool            `json:"done"` // false where the changes were only shown
	Changes []mirror.Change `json:"changes"`
}

// Run syncs.
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

// doneText says that the changes were made.
func doneText(changes []mirror.Change) string {
	if n := len(changes) - count(changes, mirror.Keep); n > 0 {
		return "done: " + plural(n, "change", "changes") + "\n"
	}
	return ""
}

// agreed reports whether the changes are to be made.
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
	line, _ := bufio.NewReader(h.stdin).ReadString('\n') // no line is no
	return strings.EqualFold(strings.TrimSpace(line), "y") || strings.EqualFold(strings.TrimSpace(line), "yes"), nil
}

// changesText tells the changes, a line for each.
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

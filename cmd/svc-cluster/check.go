package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/cmd/svc-cluster/internal/member"
)

type checkCmd struct {
	member.Servers

	Output string `enum:"text,json" default:"text" placeholder:"FORMAT" help:"How to answer: text, for people, or json, for programs."`
}

// Help implements kong.HelpProvider.
func (c *checkCmd) Help() string {
	return `Checks a cluster from outside and prints a line for each finding: the database and its tables, the cluster that owns it, clocks that differ by more than two seconds, Temporal and its namespace, the workers and their versions. It changes nothing. The exit status is 1 if something is wrong; "beware" marks what does no harm yet.

Examples:

    svc-cluster check --postgres postgres://svc@db.example.com/svc --temporal temporal.example.com:7233
    svc-cluster check --output json`
}

// checked is the JSON output.
type checked struct {
	OK       bool             `json:"ok"`
	Findings []member.Finding `json:"findings"`
}

// Run prints the findings.
func (c *checkCmd) Run(ctx context.Context, h *host) error {
	answer := checked{OK: true, Findings: c.Check(ctx)}
	for _, f := range answer.Findings {
		answer.OK = answer.OK && f.OK
	}
	if err := c.print(h, answer); err != nil {
		return err
	}
	if !answer.OK {
		return program.Told{}
	}
	return nil
}

func (c *checkCmd) print(h *host, answer checked) error {
	if c.Output == "json" {
		e := json.NewEncoder(h.stdout)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(answer)
	}
	w := tabwriter.NewWriter(h.stdout, 0, 0, 2, ' ', 0)
	for _, f := range answer.Findings {
		state := "ok"
		switch {
		case !f.OK:
			state = "WRONG"
		case f.Warns:
			state = "beware"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.About, state, strings.TrimSpace(program.Inert(f.Says))) //nolint:errcheck // Flush reports errors
	}
	return w.Flush()
}

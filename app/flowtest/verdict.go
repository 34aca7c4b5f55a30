package flowtest

import (
	"cmp"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/value"
)

// Judge returns what is not as expected of a run that has ended; nothing means that the case
// has passed.
func (c *Case) Judge(got *engine.Result, unused []string) (wrong []string) {
	want := cmp.Or(c.Status, engine.StatusCompleted.String())
	if got.Status.String() != want {
		text := "expected status " + want + ", got " + got.Status.String()
		if got.Error != nil {
			text += ": " + got.Error.NodeID + ": " + got.Error.Message + " (" + got.Error.Code + ")"
		}
		wrong = append(wrong, text)
	}
	if text := Diff(c.Outputs, got.Outputs); text != "" {
		wrong = append(wrong, text)
	}
	return append(wrong, unused...)
}

// Diff shows what makes got of want, as lines of JSON; "" if they are the same.
func Diff(want, got map[string]any) string {
	if want == nil {
		want = map[string]any{}
	}
	if got == nil {
		got = map[string]any{}
	}
	_, text, _ := strings.Cut(string(diff.Diff("expected outputs", lines(want), "got", lines(got))), "\n") // less the command
	return strings.TrimRight(text, "\n")
}

func lines(v map[string]any) []byte { return append(value.Indent(nil, v), '\n') }

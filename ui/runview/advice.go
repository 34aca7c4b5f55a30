package runview

import (
	"strings"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/runview/record"
)

// Failures returns the nodes that failed in a run and are why others did: of a container
// and the nodes in its body, these. They come in the order in which they began.
func Failures(r *record.Recorder) (paths []string) {
	if r == nil {
		return nil
	}
	var add func(nodes []*fold.Node) (any bool)
	add = func(nodes []*fold.Node) (any bool) {
		for _, n := range nodes {
			if n.State() != engine.StatusFailed {
				continue
			}
			any = true
			if !add(n.Inner) {
				paths = append(paths, n.Name)
			}
		}
		return any
	}
	add(r.Top)
	return paths
}

// adviceFor returns what to do about a failure, by its code; "" if the message says it
// better.
func adviceFor(code string) string {
	switch code {
	case node.CodeTypeError, node.CodeInvalidInput:
		return lang.L("Look at what came in, and at the node that gave it.")
	case node.CodeInvalidConfig:
		return lang.L("Correct the setting of the node that the message names.")
	case node.CodeTimeout:
		return lang.L("Give the node a longer timeout below its settings, or more attempts.")
	case node.CodeUnavailable, node.CodeRateLimited:
		return lang.L("Try again later, or give the node more attempts below its settings.")
	case node.CodeReauthorize:
		return lang.L("Connect the account again, under “Accounts…”.")
	case node.CodeForbidden:
		return lang.L("The server or computer where this runs does not allow it: use another file, address or variable, or ask its administrator.")
	case node.CodeOutcomeUnknown:
		return lang.L("Find out whether it was done before you run it again.")
	case node.CodeLimitExceeded:
		return lang.L("Reduce the size of the input, or split the work with a loop.")
	case node.CodeStorageFull:
		return lang.L("Make room on the disk, and run it again.")
	case node.CodeInterrupted:
		return lang.L("Open it under “Runs” and resume it.")
	}
	return ""
}

// cameIn describes the input values of a failed step, each in a few lines.
func cameIn(inputs []portValue) string {
	const longest = 500
	var b strings.Builder
	for _, g := range inputs {
		if !g.known {
			continue
		}
		text, _ := value.Preview(g.value, longest)
		b.WriteString("\n" + g.port + ": " + text)
	}
	return b.String()
}

package reading

import (
	"strings"

	"github.com/svcflow/svc/engine/node"
)

// Invalid returns a permanent error for an input that cannot be read.
func Invalid(format string, args ...any) error {
	return node.Permanent(node.Errorf(node.CodeInvalidInput, format, args...))
}

// TooMuch returns a permanent error for an input that exceeds a limit.
func TooMuch(format string, args ...any) error {
	return node.Permanent(node.Errorf(node.CodeLimitExceeded, format, args...))
}

// quoted is how many characters of a text messages quote.
const quoted = 64

// Cut shortens a text for a message. It looks only at the beginning of a long text.
func Cut(s string) string {
	if r := []rune(s[:min(len(s), 4*quoted+4)]); len(r) > quoted {
		return strings.ToValidUTF8(string(r[:quoted]), "\uFFFD") + "…"
	}
	return s
}

package keys

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxPatterns = 100 // patterns of a key
	maxPattern  = 400 // characters of a pattern, twice those of an id
)

// checkWorkflows returns an error if the patterns of r are invalid. They go with the scopes read and
// run only: whoever may save or post documents, or use accounts, reaches other workflows anyway.
func (r *Request) checkWorkflows() error {
	if len(r.Workflows) == 0 {
		return nil
	}
	for _, scope := range r.Scopes {
		if scope != Read && scope != Run {
			return fmt.Errorf("a key that is limited to workflows has the scopes read and run only, not %s", scope)
		}
	}
	if len(r.Workflows) > maxPatterns {
		return fmt.Errorf("a key is limited to at most %d patterns of workflow ids; use * in them", maxPatterns)
	}
	for _, p := range r.Workflows {
		switch {
		case p == "":
			return errors.New("a pattern of workflow ids is not empty; * stands for any characters")
		case !utf8.ValidString(p):
			return errors.New("a pattern of workflow ids is valid UTF-8")
		case utf8.RuneCountInString(p) > maxPattern:
			return fmt.Errorf("a pattern of workflow ids has at most %d characters", maxPattern)
		}
	}
	return nil
}

// Sees reports whether the key may see a workflow. A key without patterns may see all.
func (r *Request) Sees(workflowID string) bool {
	return len(r.Workflows) == 0 || slices.ContainsFunc(r.Workflows, func(p string) bool { return matches(p, workflowID) })
}

// matches reports whether a pattern matches a whole id. In the pattern, * stands for any characters
// and \* for an asterisk.
func matches(pattern, id string) bool {
	parts := literals(pattern)
	rest, ok := strings.CutPrefix(id, parts[0])
	if !ok || len(parts) == 1 {
		return ok && rest == ""
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] { // the first place is the best: the rest is then longest
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, parts[last])
}

// literals splits a pattern at its wildcards.
func literals(pattern string) []string {
	const escaped, mark = `\*`, "\x00" // no id contains a control character
	parts := strings.Split(strings.ReplaceAll(pattern, escaped, mark), "*")
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], mark, "*")
	}
	return parts
}

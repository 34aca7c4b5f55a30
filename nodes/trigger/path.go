package trigger

import (
	"crypto/rand"
	"fmt"
	"regexp"
	"strings"

	"github.com/svcflow/svc/engine/node"
)

// The limits of a hook's path.
const (
	longestPath  = 200
	mostSegments = 8
	// secretSegment is the length of a segment that cannot be guessed.
	secretSegment = 22
)

// hookPath checks the path of a hook, below /hooks/. Without authentication it needs a
// secret segment.
func hookPath(path string, guarded bool) []node.Problem {
	invalid := func(format string, args ...any) []node.Problem {
		return []node.Problem{node.Invalid("path", format, args...)}
	}
	plain, named := regexp.MustCompile(`^[A-Za-z0-9._~-]+$`), regexp.MustCompile(`^\{[A-Za-z_][A-Za-z0-9_]*\}$`)
	segments := strings.Split(path, "/")
	switch {
	case path == "":
		return invalid("say at which path the hook is, such as orders or orders/{id}")
	case len(path) > longestPath || len(segments) > mostSegments:
		return invalid("a path has up to %d characters and %d segments", longestPath, mostSegments)
	}
	secret, names := false, map[string]bool{}
	for _, segment := range segments {
		switch {
		case segment == "." || segment == "..":
			return invalid("a path has no segment %q", segment)
		case named.MatchString(segment):
			if names[segment] {
				return invalid("%s is there twice", segment)
			}
			names[segment] = true
		case !plain.MatchString(segment):
			return invalid("%q is no segment of a path: those have letters, digits and . _ ~ - only, or are a name in braces; write the path without / at its ends", segment)
		default:
			secret = secret || len(segment) >= secretSegment
		}
	}
	if guarded || secret {
		return nil
	}
	return []node.Problem{{
		Port: "path", Message: fmt.Sprintf("without auth the path needs a segment of at least %d random characters, since whoever knows it may call", secretSegment),
		Hint: "for example " + segments[0] + "/" + unguessable(),
	}}
}

// unguessable returns a random segment.
func unguessable() string { return rand.Text() }

package text

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"time"

	"github.com/svcflow/svc/engine/node"
)

// The limits of a search. Go's regular expressions take time linear in the text
// for one match, but looking for all of them may still take the square of it.
const (
	maxPattern  = 16 << 10        // bytes of a pattern
	maxWork     = 2_000_000_000   // length of the text times size of the compiled pattern
	maxPlaces   = 1_000_000       // to replace in one text; groups count, too
	maxMatches  = 250_000         // to list, each of which is a record
	maxSearch   = 5 * time.Second // for looking at all matches once
	shortEnough = 4 << 10         // bytes of a text for which even the square is quick
)

// compilePattern compiles a pattern in Go's syntax (RE2).
func compilePattern(pattern string, ignoreCase bool) (*regexp.Regexp, error) {
	if len(pattern) > maxPattern {
		return nil, node.Errorf(node.CodeInvalidInput, "the pattern is longer than %d bytes", maxPattern)
	}
	if ignoreCase {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, node.Errorf(node.CodeInvalidInput, "the pattern is wrong: %s", reason(err))
	}
	return re, nil
}

// reason names the part of a pattern that is wrong.
func reason(err error) string {
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		return e.Code.String() + " at `" + e.Expr + "`"
	}
	return err.Error()
}

// checkPattern wraps the Bind of a node so that a pattern from the configuration
// is found wrong at validation. isPattern says whether it is one.
func checkPattern(n node.Node, port string, isPattern func(config map[string]any) bool) node.Node {
	bind := n.Bind
	n.Bind = func(b node.Binding) (node.Bound, []node.Problem) {
		pattern, ok := b.Config[port].(string)
		if ok && !b.Wired(port) && isPattern(b.Config) {
			if _, err := compilePattern(pattern, false); err != nil {
				p := node.Invalid(port, "%v", err)
				p.Hint = "the syntax is that of RE2: no look-around and no back-references"
				return node.Bound{}, []node.Problem{p}
			}
		}
		return bind(b)
	}
	return n
}

// findAll returns the indexes of all matches and their groups, as
// [regexp.Regexp.FindAllStringSubmatchIndex] does, within the limits. Together
// they are at most limit.
func findAll(ctx context.Context, re *regexp.Regexp, text string, limit int) ([][]int, error) {
	if work := len(text) * sizeOfPattern(re); work > maxWork {
		return nil, tooMuch("the pattern is too complex for a text of this length; search a shorter one")
	}
	if len(text)*(1+re.NumSubexp()) > shortEnough {
		if err := rehearse(ctx, re, text, limit); err != nil {
			return nil, err
		}
	}
	return re.FindAllStringSubmatchIndex(text, -1), nil
}

// sizeOfPattern returns how many instructions the compiled pattern has.
func sizeOfPattern(re *regexp.Regexp) int {
	parsed, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return 1 // it was compiled before, so it does parse
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 1
	}
	return len(program.Inst)
}

// errStop ends a rehearsal.
var errStop = errors.New("stop")

// rehearse visits all matches one by one and gives up when that takes too long. It runs
// before the real search, which cannot be interrupted.
func rehearse(ctx context.Context, re *regexp.Regexp, text string, limit int) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if p != errStop { //nolint:errorlint // it is this very value, or a foreign panic
				panic(p)
			}
		}
	}()
	matches, each, began := 0, 1+re.NumSubexp(), time.Now()
	re.ReplaceAllStringFunc(text, func(string) string {
		matches++
		switch {
		case ctx.Err() != nil:
			err = ctx.Err()
		case matches*each > limit:
			err = tooMuch(fmt.Sprintf("more than %d matches and groups; search a shorter text", limit))
		case matches%64 == 0 && time.Since(began) > maxSearch:
			err = tooMuch("the search takes too long; use a simpler pattern or a shorter text")
		}
		if err != nil {
			panic(errStop)
		}
		return ""
	})
	return err
}

func tooMuch(message string) error {
	return node.Permanent(node.Errorf(node.CodeLimitExceeded, "%s", message))
}

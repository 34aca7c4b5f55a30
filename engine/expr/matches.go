package expr

import (
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/svcflow/svc/engine/value"
)

// The limits of the operator matches, which cannot be interrupted.
const (
	maxPattern = 16 << 10      // bytes of a pattern
	maxWork    = 2_000_000_000 // length of the text times size of the compiled pattern
)

// pattern is a compiled regular expression.
type pattern struct {
	*regexp.Regexp

	size int // number of instructions
}

func compilePattern(source string) (*pattern, error) {
	if len(source) > maxPattern {
		return nil, fmt.Errorf("the pattern is longer than %d bytes", maxPattern)
	}
	re, err := regexp.Compile(source)
	if err != nil {
		return nil, err
	}
	p := &pattern{re, 1}
	if parsed, err := syntax.Parse(source, syntax.Perl); err == nil {
		if program, err := syntax.Compile(parsed.Simplify()); err == nil {
			p.size = len(program.Inst)
		}
	}
	return p, nil
}

// matches implements the operator matches for a text and a pattern, compiled or not.
// Nothing matches null.
func matches(text, by any) (any, error) {
	if text == nil || by == nil {
		return false, nil
	}
	s, ok := Plain(text).(string)
	if !ok {
		return nil, fmt.Errorf("matches takes text, got %s", value.KindOf(text))
	}
	p, ok := by.(*pattern)
	if !ok {
		source, isText := Plain(by).(string)
		if !isText {
			return nil, fmt.Errorf("the pattern of matches is text, got %s", value.KindOf(by))
		}
		var err error
		if p, err = compilePattern(source); err != nil {
			return nil, err
		}
	}
	if len(s) > maxWork/p.size {
		return nil, errTooBig
	}
	return p.MatchString(s), nil
}

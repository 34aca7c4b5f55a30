package jsonnode

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
)

// The limits of regular expressions in a query.
const (
	maxPattern  = 20_000  // instructions of one expression
	maxKept     = 1 << 20 // bytes of all expressions that a program may keep between runs
	fewMatches  = 4 << 20 // bytes of all matches up to which no rehearsal is needed
	matchBytes  = 512     // memory of a match, and of each of its groups
	instrBytes  = 400     // memory of an instruction; gojq compiles each expression twice
	workPerLook = 16      // instructions per byte, or bytes per character, that take as long as one look
)

var errPattern = errors.New("a regular expression is too big; use a simpler one")

// patterns holds the regular expressions that a program has used, which gojq caches.
type patterns map[string]pattern

type pattern struct {
	size, groups int
}

func (p patterns) bytes() (n int) {
	for source, known := range p {
		n += len(source) + known.size*instrBytes
	}
	return n
}

// guardMatch wraps _match, which all functions for regular expressions call. Its arguments
// are the pattern, the flags, and whether only a boolean is wanted.
func (p *program) guardMatch(match native) native {
	return func(v any, args []any) any {
		text, _ := v.(string)
		source, _ := args[0].(string)
		flags, _ := args[1].(string)
		known, err := p.pattern(source)
		if err != nil {
			return err
		}
		if err := p.fuel.spend(price{looks: len(text) * known.size / workPerLook}); err != nil {
			return err
		}
		most := price{bytes: product(len(text)+1, known.groups*matchBytes)}
		if args[2] != true && strings.ContainsRune(flags, 'g') && most.bytes > fewMatches {
			if err := p.rehearse(source, text, known); err != nil {
				return err
			}
		}
		found := match(v, args)
		if matches, ok := found.([]any); ok {
			own := apartMatches(len(text), matches)
			if err := p.fuel.spend(price{bytes: own + len(matches)*known.groups*matchBytes}); err != nil {
				return err
			}
		}
		return found
	}
}

// pattern returns the size of a regular expression. The first time it charges for the
// compilation.
func (p *program) pattern(source string) (pattern, error) {
	if known, ok := p.patterns[source]; ok {
		return known, nil
	}
	known := pattern{size: len(source), groups: 1}
	if parsed, err := syntax.Parse(source, syntax.Perl); err == nil { // gojq reports the syntax error
		known = pattern{instructions(parsed), 1 + parsed.MaxCap()}
	}
	if known.size > maxPattern {
		return known, p.fuel.fail(errPattern)
	}
	p.patterns[source] = known
	return known, p.fuel.spend(price{bytes: known.size * instrBytes, looks: known.size * workPerLook})
}

// instructions returns an upper bound of the number of instructions of a regular
// expression.
func instructions(re *syntax.Regexp) int {
	const runesPerInstruction = 4
	n := 2 + len(re.Rune)/runesPerInstruction
	if re.Op == syntax.OpLiteral {
		n = 2 + len(re.Rune)
	}
	for _, sub := range re.Sub {
		n += instructions(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= 1 + max(re.Min, re.Max)
	}
	return min(n, maxPattern+1)
}

// errStop is the panic value that ends a rehearsal.
var errStop = errors.New("stop")

// rehearse finds all matches in a long text in advance, and fails when they exceed the
// limits. gojq's own search cannot be interrupted.
func (p *program) rehearse(source, text string, known pattern) (err error) {
	re, err := regexp.Compile(source)
	if err != nil {
		return nil // gojq reports the same error
	}
	defer func() {
		if found := recover(); found != nil && found != errStop { //nolint:errorlint // errStop itself is the panic value
			panic(found)
		}
	}()
	spend := func(due price) {
		if err = p.fuel.Context.Err(); err == nil {
			err = p.fuel.spend(due)
		}
		if err != nil {
			panic(errStop)
		}
	}
	matches := 0
	re.ReplaceAllStringFunc(text, func(string) string {
		matches++
		due := price{looks: matches * known.groups * len(text) / workPerLook, bytes: matches * known.groups * matchBytes}
		if due.looks > maxLook || due.bytes > maxCall {
			spend(due)
		}
		return ""
	})
	return err
}

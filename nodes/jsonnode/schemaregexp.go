package jsonnode

import (
	"errors"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/svcflow/svc/engine/node"
)

var errSchemaRegexp = errors.New("a regular expression of the schema is too much work for this value; use a simpler one")

// countingRegexp counts its searches as visits of its schema.
type countingRegexp struct {
	*regexp.Regexp
	schema *schema
	size   int // number of instructions
}

// regexp compiles a regular expression of the schema, or a value with the format regex.
func (s *schema) regexp(source string) (jsonschema.Regexp, error) {
	parsed, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil, err
	}
	size := instructions(parsed)
	if size > maxPattern {
		return nil, errPattern
	}
	re, err := regexp.Compile(source)
	return &countingRegexp{re, s, size}, err
}

// MatchString implements jsonschema.Regexp.
func (r *countingRegexp) MatchString(text string) bool {
	const workPerVisit = 1_000
	work := product(r.size, len(text))
	if r.schema.visits += work / workPerVisit; work > maxRegexp || r.schema.visits > r.schema.limit {
		r.schema.err = node.Permanent(node.Errorf(node.CodeLimitExceeded, "%w", errSchemaRegexp))
		panic(stopped{})
	}
	return r.Regexp.MatchString(text)
}

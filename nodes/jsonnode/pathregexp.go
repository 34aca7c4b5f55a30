package jsonnode

import (
	"regexp/syntax"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/registry"
	"github.com/theory/jsonpath/spec"
)

// maxRegexp bounds one search of a text: its bytes times the instructions of the
// regular expression. Nothing can interrupt it.
const maxRegexp = 500_000_000

// tooComplex is what a function of a path panics with: it cannot return an error.
type tooComplex struct{}

// newPathParser returns a parser whose match() and search() are bounded.
func newPathParser() *jsonpath.Parser {
	functions := registry.New()
	for _, name := range []string{"match", "search"} {
		function := functions.Get(name)
		of := *function
		*function = *spec.Extension(name, spec.FuncLogical, of.Validate, func(args []spec.PathValue) spec.PathValue {
			if !simple(args) {
				panic(tooComplex{})
			}
			return of.Evaluate(args)
		})
	}
	return jsonpath.NewParser(jsonpath.WithRegistry(functions))
}

// simple says whether searching the first argument for the second is soon done.
func simple(args []spec.PathValue) bool {
	text, _ := spec.ValueFrom(args[0]).Value().(string)
	source, _ := spec.ValueFrom(args[1]).Value().(string)
	parsed, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return true // it matches nothing
	}
	size := instructions(parsed)
	return size <= maxPattern && product(size, len(text)) <= maxRegexp
}

package jsonnode

import (
	"regexp/syntax"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/registry"
	"github.com/theory/jsonpath/spec"
)

// maxRegexp is the cost limit of one search: bytes of the text times instructions of the
// regular expression. A search cannot be interrupted.
const maxRegexp = 500_000_000

// tooComplex is the panic value of a path's functions, which cannot return errors.
type tooComplex struct{}

// newPathParser returns a parser whose functions match() and search() have a cost limit.
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

// simple reports whether searching the first argument for the second is within the cost
// limit.
func simple(args []spec.PathValue) bool {
	text, _ := spec.ValueFrom(args[0]).Value().(string)
	source, _ := spec.ValueFrom(args[1]).Value().(string)
	parsed, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return true // an invalid pattern matches nothing
	}
	size := instructions(parsed)
	return size <= maxPattern && product(size, len(text)) <= maxRegexp
}

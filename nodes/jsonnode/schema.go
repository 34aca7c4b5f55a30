package jsonnode

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// The limits of a validation.
const (
	maxSchema = 4 << 20   // approximate bytes of the schema
	maxVisits = 2_000_000 // visits: a schema that is applied to a part of the value
	// Number of enum members that are compared in the time of one visit. The library
	// compares numbers as fractions, which is slower.
	numbersPerVisit, othersPerVisit = 2, 128
)

var errVisits = errors.New("the schema is too much work for this value; check a smaller part, or write a schema that branches less")

// schemaURL is the URL of the schema. Nothing is loaded from it.
const schemaURL = "svc:///schema"

// noLoader refuses references to other documents.
type noLoader struct{}

// Load implements jsonschema.URLLoader.
func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is another document, and none is loaded; put it into $defs", cut(url))
}

// schema is a compiled schema. It must not be used by several goroutines at once.
type schema struct {
	compiled *jsonschema.Schema
	// The current validation.
	ctx    context.Context
	visits int
	limit  int // of visits
	err    error
}

func compileSchema(source any) (*schema, error) {
	switch source.(type) {
	case bool, map[string]any:
	default:
		return nil, fmt.Errorf("the schema is a %s; it has to be a record, or true or false", value.KindOf(source))
	}
	if value.Size(source, maxSchema) > maxSchema {
		return nil, fmt.Errorf("the schema is longer than %d MiB", maxSchema>>20)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(noLoader{})
	s := &schema{limit: maxVisits}
	c.UseRegexpEngine(s.regexp)
	if err := c.AddResource(schemaURL, plain(source)); err != nil {
		return nil, schemaError(err)
	}
	compiled, err := c.Compile(schemaURL)
	if err != nil {
		return nil, schemaError(err)
	}
	s.compiled = compiled
	s.watch(reflect.ValueOf(compiled), map[*jsonschema.Schema]bool{})
	return s, nil
}

// schemaError converts the error of the compiler to a node error.
func schemaError(err error) error {
	var invalid *jsonschema.SchemaValidationError
	var found *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &found) {
		first := describe(found)[0].(map[string]any)
		return fmt.Errorf("the schema is wrong at %q: %s", first["path"], first["message"])
	}
	if load, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		return fmt.Errorf("the schema is wrong: %w", load.Err)
	}
	return fmt.Errorf("the schema is wrong: %s", strings.ReplaceAll(err.Error(), schemaURL, ""))
}

// watch makes every schema that is reachable from v count its visits. The library accepts
// no context, but it evaluates a schema's format before its subschemas, so a format does
// the counting.
func (s *schema) watch(v reflect.Value, seen map[*jsonschema.Schema]bool) {
	switch v.Kind() {
	case reflect.Interface:
		s.watch(v.Elem(), seen)
	case reflect.Slice:
		for i := range v.Len() {
			s.watch(v.Index(i), seen)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			s.watch(it.Value(), seen)
		}
	case reflect.Pointer:
		if !v.CanInterface() || v.IsNil() {
			return
		}
		switch x := v.Interface().(type) {
		case *jsonschema.Schema:
			s.watchSchema(x, seen)
		case *jsonschema.DynamicRef:
			s.watchSchema(x.Ref, seen)
		}
	}
}

func (s *schema) watchSchema(x *jsonschema.Schema, seen map[*jsonschema.Schema]bool) {
	if seen[x] || !strings.HasPrefix(x.Location, schemaURL) { // meta-schemas are shared by all users of the library
		return
	}
	seen[x] = true
	x.Format = s.counting(x.Format, 1+plainTests(x, seen))
	fields := reflect.ValueOf(x).Elem()
	for i := range fields.NumField() {
		if fields.Type().Field(i).IsExported() {
			s.watch(fields.Field(i), seen)
		}
	}
}

// plainTests moves the keywords that the library evaluates before a format into a
// subschema, which it evaluates afterwards. Otherwise a part that fails at these keywords
// would not be counted. It returns the cost of the keywords, in visits.
func plainTests(x *jsonschema.Schema, seen map[*jsonschema.Schema]bool) int {
	if x.Types == nil && x.Const == nil && x.Enum == nil {
		return 0
	}
	inner := &jsonschema.Schema{DraftVersion: x.DraftVersion, Location: x.Location, Types: x.Types, Const: x.Const, Enum: x.Enum}
	seen[inner] = true // counted with x
	x.AllOf = append([]*jsonschema.Schema{inner}, x.AllOf...)
	x.Types, x.Const, x.Enum = nil, nil, nil
	if inner.Enum == nil {
		return 0
	}
	numbers := 0
	for _, v := range inner.Enum.Values {
		if _, ok := v.(string); !ok {
			numbers++
		}
	}
	return numbers/numbersPerVisit + (len(inner.Enum.Values)-numbers)/othersPerVisit
}

// counting returns a format that counts visits and then validates with of.
func (s *schema) counting(of *jsonschema.Format, visits int) *jsonschema.Format {
	out := jsonschema.Format{Validate: func(any) error { s.visit(visits); return nil }}
	if of != nil {
		out.Name = of.Name
		out.Validate = func(v any) error {
			s.visit(visits)
			return of.Validate(v)
		}
	}
	return &out
}

// stopped is the panic value that ends a validation. The library has no other way to stop
// before all errors are collected.
type stopped struct{}

// visit counts visits. It ends the validation if the limit is exceeded or ctx has ended.
func (s *schema) visit(n int) {
	const visitsPerCheck = 256
	before := s.visits
	if s.visits += n; s.visits > s.limit {
		s.err = node.Permanent(node.Errorf(node.CodeLimitExceeded, "%w", errVisits))
	} else if s.visits/visitsPerCheck != before/visitsPerCheck {
		s.err = s.ctx.Err()
	}
	if s.err != nil {
		panic(stopped{})
	}
}

// check validates v. found is nil if v is valid.
func (s *schema) check(ctx context.Context, v any) (found *jsonschema.ValidationError, err error) {
	if s.ctx, s.visits, s.err = ctx, 0, ctx.Err(); s.err != nil {
		return nil, s.err
	}
	defer func() {
		switch p := recover(); p {
		case nil:
		case stopped{}:
			found, err = nil, s.err
		default:
			panic(p)
		}
	}()
	err = s.compiled.Validate(v)
	if err != nil && !errors.As(err, &found) {
		return nil, err
	}
	return found, nil
}

// schemaPool is a pool of compiled copies of one schema.
type schemaPool struct {
	source any
	pool   sync.Pool
}

func (p *schemaPool) call(ctx context.Context, in, out []any) error {
	s, ok := p.pool.Get().(*schema)
	if !ok {
		var err error
		if s, err = compileSchema(p.source); err != nil {
			return err
		}
	}
	defer p.pool.Put(s)
	return s.call(ctx, in, out)
}

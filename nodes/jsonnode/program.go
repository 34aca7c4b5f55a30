package jsonnode

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/itchyny/gojq"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
)

// program is a compiled filter. It must not be used by several goroutines at once.
type program struct {
	code     *gojq.Code
	patterns patterns
	fuel     *fuel // of the current run

	// The limits of a run.
	steps, memory int // see fuel
	cost          int // see sizer
}

func compile(filter string) (*program, error) {
	if len(filter) > maxSource {
		return nil, fmt.Errorf("it is longer than %d bytes", maxSource)
	}
	parsed, err := gojq.Parse(filter)
	if err != nil {
		return nil, parseError(filter, err)
	}
	code, err := gojq.Compile(parsed, gojq.WithVariables([]string{"$vars"}))
	if err != nil {
		return nil, err
	}
	p := &program{code: code, patterns: patterns{}, steps: maxSteps, memory: maxMemory, cost: maxCost}
	clock := false
	err = instrument(code, func(name string, f native) native {
		clock = clock || name == "now"
		return p.guard(name, f)
	})
	if err == nil && clock {
		err = errClock
	}
	return p, err
}

// guard makes a gojq function charge its price before each call.
func (p *program) guard(name string, f native) native {
	if name == "_match" {
		return p.guardMatch(f)
	}
	t := tariffOf(name)
	if t.class == free {
		return f
	}
	return func(v any, args []any) any {
		if due := t.price(v, args); due != (price{}) {
			if err := p.fuel.spend(due); err != nil {
				return err
			}
		}
		made := f(v, args)
		if t.class != cuts {
			return made
		}
		made, bytes := ownParts(name, v, args, made)
		if bytes > 0 {
			if err := p.fuel.spend(price{bytes: bytes}); err != nil {
				return err
			}
		}
		return made
	}
}

// reusable reports whether the program may run again. gojq caches regular expressions
// without a limit.
func (p *program) reusable() bool {
	p.fuel = nil
	return p.patterns.bytes() <= maxKept
}

func (p *program) run(ctx context.Context, input any, vars map[string]any) ([]any, error) {
	var c copier
	ownInput, ownVars := c.value(input), c.value(vars)
	if c.bytes > limit.Shown {
		if err := node.Hold(ctx, c.bytes); err != nil {
			return nil, err
		}
	}
	p.fuel = newFuel(ctx, p.steps, p.memory)
	iter := p.code.RunWithContext(p.fuel, ownInput, ownVars) //nolint:contextcheck // fuel is made of ctx
	results := []any{}
	stacks := stacksOf(iter)
	p.fuel.stacks = stacks.bytes
	p.fuel.weigh = func() int {
		return stacks.bytes() + holds(stacks, results, c.bytes+p.memory) - c.bytes + p.patterns.bytes()
	}
	err := p.collect(iter, &results)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case p.fuel.err != nil: // even if the filter caught the error
		return nil, failure(p.fuel.err)
	}
	return results, err
}

func (p *program) collect(iter gojq.Iter, results *[]any) error {
	size := sizer{left: p.cost, copies: p.cost}
	for {
		v, ok := iter.Next()
		if !ok {
			return nil
		}
		if err, failed := v.(error); failed {
			if halt := (*gojq.HaltError)(nil); errors.As(err, &halt) && halt.Value() == nil {
				return nil
			}
			return failure(err)
		}
		if len(*results) == maxResults {
			return node.Permanent(node.Errorf(node.CodeLimitExceeded,
				"more than %d results; collect them into a list with [ ], or use limit(n; …)", maxResults))
		}
		v, err := size.value(v)
		if err != nil {
			return err
		}
		*results = append(*results, v)
	}
}

// checkMachine returns an error if gojq's internals are not as this package expects: if a
// filter can exceed a limit, or its memory cannot be measured.
func checkMachine() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errMachine, p)
		}
	}()
	const little = 1 << 13
	for filter, want := range map[string]error{
		`[.[] | tostring | test("1")] | .[1:] | length == 1`: nil,
		`"x" * 100000`:        errMemory, // the limit of a function
		`[range(100000)]`:     errMemory, // the limit of held memory
		`def f: f | f; f`:     errMemory, // the limit of the stacks
		`test("x{1000}" * 9)`: errPattern,
	} {
		p, err := compile(filter)
		if err != nil {
			return err
		}
		p.memory = little
		results, err := p.run(context.Background(), []any{1, 2}, nil)
		if !errors.Is(err, want) || want == nil && !slices.Equal(results, []any{true}) {
			return fmt.Errorf("%w: %s gives %v, %w", errMachine, filter, results, err)
		}
	}
	return nil
}

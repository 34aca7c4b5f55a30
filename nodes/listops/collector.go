package listops

import (
	"errors"
	"fmt"
	"math"

	"github.com/svcflow/svc/engine/expr"
	"github.com/svcflow/svc/engine/value"
)

// collector calculates something over the values of a group.
type collector interface {
	add(v any) error
	result() (any, error)
}

// newCollector returns the collector of a calculation, or nil for an unknown name.
func newCollector(how string, meter *expr.Meter) collector {
	switch how {
	case "count":
		return &counter{}
	case "sum":
		return &adder{}
	case "mean":
		return &adder{mean: true}
	case "min":
		return &extreme{sign: -1, order: order{meter: meter}}
	case "max":
		return &extreme{sign: 1, order: order{meter: meter}}
	case "first":
		return &one{}
	case "last":
		return &one{last: true}
	case "list":
		return &gatherer{}
	case "distinct":
		return &gatherer{seen: map[any]struct{}{}}
	}
	return nil
}

// counter counts the values that are not null.
type counter struct{ n int }

func (c *counter) add(v any) error {
	if v != nil {
		c.n++
	}
	return nil
}

func (c *counter) result() (any, error) { return c.n, nil }

// maxExact is the largest sum that is returned as an int. Larger ints are not all exact as
// floats.
const maxExact = 1 << 53

// adder adds numbers. The sum of ints is an int.
type adder struct {
	mean   bool
	n      int
	total  total
	floats bool // at least one number is a float
}

var errNoNumber = errors.New("that is no number; leave such items out with listops.filter")

func (a *adder) add(v any) error {
	if v == nil {
		return nil
	}
	if !expr.IsNumber(v) {
		return fmt.Errorf("it is %s: %w", value.KindOf(v), errNoNumber)
	}
	if _, isFloat := v.(float64); isFloat {
		a.floats = true
	}
	a.n++
	a.total.add(v)
	return nil
}

var errTooGreat = errors.New("the sum is beyond the largest float, 1.8e308; divide the numbers first")

func (a *adder) result() (any, error) {
	sum := a.total.float()
	switch {
	case math.IsInf(sum, 0) || math.IsNaN(sum):
		return nil, errTooGreat
	case a.mean && a.n == 0:
		return nil, nil
	case a.mean:
		return sum / float64(a.n), nil
	case !a.floats && math.Abs(sum) <= maxExact:
		return int(sum), nil
	}
	return sum, nil
}

// extreme keeps the smallest or the largest value, in the order of listops.sort.
type extreme struct {
	sign  int // 1 for the largest
	best  any
	order order
}

func (e *extreme) add(v any) error {
	if v != nil && (e.best == nil || e.sign*e.order.compare(v, e.best) > 0) {
		e.best = v
	}
	return e.order.err
}

func (e *extreme) result() (any, error) { return e.best, nil }

// one keeps the first or the last value.
type one struct {
	last, some bool
	v          any
}

func (o *one) add(v any) error {
	if o.last || !o.some {
		o.v, o.some = v, true
	}
	return nil
}

func (o *one) result() (any, error) { return o.v, nil }

// gatherer keeps all values, or all distinct values.
type gatherer struct {
	list []any
	seen map[any]struct{} // nil to keep all
	keys keys
}

func (g *gatherer) add(v any) error {
	if g.seen != nil {
		if v == nil {
			return nil
		}
		key := g.keys.of(v)
		if _, again := g.seen[key]; again {
			return nil
		}
		g.seen[key] = struct{}{}
	}
	g.list = append(g.list, v)
	return nil
}

func (g *gatherer) result() (any, error) {
	if g.list == nil {
		return []any{}, nil
	}
	return g.list, nil
}

package control

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// foreach is one control.foreach of a workflow.
type foreach struct{ *container }

func (f *foreach) call(ctx context.Context, in, out []any) error {
	list, concurrency := in[slotList].([]any), in[slotConcurrency].(int)
	if err := inRange("concurrency", concurrency, 1, maxConcurrency); err != nil {
		return err
	}
	if len(list) > maxItems {
		return &node.Error{
			Code: node.CodeLimitExceeded, Permanent: true,
			Message: fmt.Sprintf("the list has %d items; at most %d can be worked on, so cut it into parts", len(list), maxItems),
		}
	}
	p := &pass{foreach: f, list: list, skip: in[slotOnItemError] == "skip", shared: f.given(in), columns: make([][]any, len(f.names))}
	if err := node.Hold(ctx, len(p.columns)*value.ListWeight(len(list))); err != nil {
		return err
	}
	for i := range p.columns {
		p.columns[i] = make([]any, len(list))
	}
	if err := p.run(ctx, concurrency); err != nil {
		return err
	}
	for i, column := range p.columns {
		if err := value.Bound(column); err != nil {
			return node.Permanent(node.Errorf(node.CodeLimitExceeded, "output %q: %w", f.names[i], err))
		}
		out[i] = column
	}
	out[len(f.names)] = len(list)
	var err error
	out[len(f.names)+1], err = p.failures()
	return err
}

// pass is one pass over a list.
type pass struct {
	*foreach

	list    []any
	skip    bool           // go on when an item fails
	shared  map[string]any // the inputs that are the same for every item
	columns [][]any        // the outputs, by slot and item

	next atomic.Int64 // the item to start next
	due  atomic.Int64 // bytes of outputs that the run was not asked for
	mu   sync.Mutex   // guards all below
	done int
	errs map[int]failed // by item
	told int            // bytes of errs
}

// failed is an item of the output "errors".
type failed struct{ code, message string }

// run works on all items and returns when none is being worked on any more. Its
// error is ctx's, or that of the first item that failed: the others that end with
// an error then were cancelled.
func (p *pass) run(ctx context.Context, concurrency int) error {
	g, gctx := errgroup.WithContext(ctx)
	for range min(concurrency, len(p.list)) {
		g.Go(func() error { return p.work(gctx) })
	}
	err := g.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// work takes one item after the other.
func (p *pass) work(ctx context.Context) error {
	ctx, done := node.Worker(ctx)
	defer done()
	for ctx.Err() == nil {
		i := int(p.next.Add(1)) - 1
		if i >= len(p.list) {
			return nil
		}
		err := p.one(ctx, i)
		if err != nil && !p.skip {
			return located(fmt.Sprintf("item %d", i), err)
		}
		if err := p.finish(ctx, i, err); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// one runs the body for item i. The body ignores values that it has no input for.
func (p *pass) one(ctx context.Context, i int) error {
	inputs := maps.Clone(p.shared)
	inputs[itemInput], inputs[indexInput] = p.list[i], i
	outputs, err := p.body.Run(ctx, i, inputs)
	if err != nil {
		return err
	}
	for slot, name := range p.names {
		p.columns[slot][i] = outputs[name] // null if the body has no such output
	}
	return p.hold(ctx, outputs)
}

// holdEvery is how many bytes of outputs are reserved at a time.
const holdEvery = 64 << 10

// hold reserves the run's memory for the outputs of an item.
func (p *pass) hold(ctx context.Context, outputs map[string]any) error {
	bytes := 0
	for _, v := range outputs {
		bytes += value.Weight(v)
	}
	if due := p.due.Add(int64(bytes)); due >= holdEvery {
		p.due.Add(-due)
		return node.Hold(ctx, int(due))
	}
	return nil
}

// finish counts item i and reports progress, up to a hundred times in all. It fails if there
// are too many failures for the output "errors".
func (p *pass) finish(ctx context.Context, i int, err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		if p.errs == nil {
			p.errs = map[int]failed{}
		}
		f := failed{node.CodeOf(err), value.Shorten(err.Error(), limit.Failure)}
		if p.told += len(f.code) + len(f.message); p.told > value.MaxSize {
			return tooMany(value.ErrTooBig)
		}
		p.errs[i] = f
	}
	p.done++
	if total := len(p.list); p.done*100/total > (p.done-1)*100/total {
		node.Progress(ctx, p.done, total, "")
	}
	return nil
}

func tooMany(err error) error {
	return node.Permanent(node.Errorf(node.CodeLimitExceeded, "output %q: %w", "errors", err))
}

// failures returns the output "errors".
func (p *pass) failures() ([]any, error) {
	list := make([]any, 0, len(p.errs))
	for i := range p.list {
		if f, failed := p.errs[i]; failed {
			list = append(list, map[string]any{
				"index": i, "item": shownItem(p.list[i]), "code": f.code, "message": f.message,
			})
		}
	}
	if err := value.Bound(list); err != nil {
		return nil, tooMany(err)
	}
	return list, nil
}

// The bounds of an item in the output "errors", in bytes of JSON: a bigger one is truncated.
const (
	maxShownItem = 4 << 10
	shownStart   = 500
)

func shownItem(item any) any {
	if _, whole := value.Preview(item, maxShownItem); whole {
		return item
	}
	start, _ := value.Preview(item, shownStart)
	return start
}

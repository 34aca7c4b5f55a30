package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// gate lets requests in as long as there is memory for what they bring: their bodies, and
// the documents that these become, until they are done. Small requests have a part of it
// for themselves, so that they need not wait behind large ones.
type gate struct {
	most  int64
	parts [2]part

	memory     *engine.Memory     // in which room is made for what is large
	processors *engine.Processors // for what is long

	mu      sync.Mutex
	waiting map[*ticket]queued
}

// part is a part of the memory of a gate.
type part struct {
	*semaphore.Weighted

	most int64
}

const (
	// smallBody is up to where a body is admitted for good by its length alone: it counts
	// bodyGrowth times, which is what decoding makes of it.
	smallBody  = 64 << 10
	bodyGrowth = 16
	// gateWait is how long what has come in may wait for the memory that it needs to go on.
	gateWait = 5 * time.Second
	// gatePause is how long what has not come yet may wait: long enough for the request before
	// it to be forgotten.
	gatePause = 200 * time.Millisecond
	// smallPart is the part of the memory that is for what asks for little.
	smallPart = 4
)

func newGate(most int64, memory *engine.Memory, processors *engine.Processors) *gate {
	small := most / smallPart
	return &gate{
		most: most, memory: memory, processors: processors,
		parts:   [2]part{{semaphore.NewWeighted(small), small}, {semaphore.NewWeighted(most - small), most - small}},
		waiting: map[*ticket]queued{},
	}
}

// ticket is what a request, and the runs that it has started, have of a gate.
type ticket struct {
	gate *gate

	mu    sync.Mutex
	held  [2]int64 // of its parts
	users int      // the request, and runs
	place *engine.CPUSlot
}

// compute waits until it is the turn of t to work on something large, and until there is room
// for it on the heap. It goes on until idle, or until the request is done.
func (t *ticket) compute(ctx context.Context, bytes int) error {
	if err := t.turn(ctx); err != nil {
		return err
	}
	t.gate.memory.Collect(bytes)
	return nil
}

// turn waits until it is the turn of t.
func (t *ticket) turn(ctx context.Context) error {
	if t.place == nil {
		t.place = t.gate.processors.Slot()
	}
	return t.place.Acquire(ctx)
}

// idle says that t does nothing large any more: its run takes turns by itself.
func (t *ticket) idle() {
	if t.place != nil {
		t.place.Release()
	}
}

// small reports whether a request brings so little that the reserve is for it, too.
func (t *ticket) small() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.held[1] == 0
}

// share returns which part of the gate is asked for n bytes more, and for how many: what
// needs more than there is gets in alone. What needs little again and again does not need
// little.
func (t *ticket) share(n int64) (p int, bytes int64) {
	if t.held[0]+n > smallBody*bodyGrowth {
		p = 1
	}
	return p, min(n, t.gate.parts[p].most-t.held[p])
}

// add asks for n bytes more.
func (t *ticket) add(ctx context.Context, n int64) error { return t.acquire(ctx, n, gatePause) }

func (t *ticket) acquire(ctx context.Context, n int64, atMost time.Duration) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, n := t.share(n)
	if !t.gate.parts[p].TryAcquire(n) {
		if !t.gate.queue(t, p, n) {
			return t.gate.full()
		}
		defer t.gate.dequeue(t)
		waiting, cancel := context.WithTimeout(ctx, atMost)
		defer cancel()
		if t.gate.parts[p].Acquire(waiting, n) != nil {
			return cmp.Or(ctx.Err(), t.gate.full())
		}
	}
	t.held[p] += n
	return nil
}

// queued is what a ticket has that waits for more, and how much more.
type queued struct {
	part       int
	held, asks int64
}

// queue notes that a ticket waits. It is false if then some of those that wait would wait
// for what others of them have: nobody would ever go on.
func (g *gate) queue(t *ticket, p int, n int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	most, held := n, t.held[p]
	for _, q := range g.waiting {
		if q.part == p {
			most, held = max(most, q.asks), held+q.held
		}
	}
	if most+held > g.parts[p].most {
		return false
	}
	g.waiting[t] = queued{p, t.held[p], n}
	return true
}

func (g *gate) dequeue(t *ticket) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.waiting, t)
}

// less gives n bytes back, of what the ticket has.
func (t *ticket) less(n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for p := len(t.held) - 1; p >= 0; p-- {
		part := min(n, t.held[p])
		t.gate.parts[p].Release(part)
		t.held[p] -= part
		n -= part
	}
}

// exceeds reports whether so many bytes are more than there is for all.
func (g *gate) exceeds(bytes int) bool { return int64(bytes) > g.parts[1].most }

// more is add for one of many things, which together may not be more than there is.
func (t *ticket) more(ctx context.Context, n int64) error {
	t.mu.Lock()
	p, _ := t.share(n)
	before, most := t.held[p], t.gate.parts[p].most
	t.mu.Unlock()
	if before > 0 && before+n > most {
		return t.gate.full()
	}
	return t.add(ctx, n)
}

// wait is add for what has come in already: it may wait a while.
func (t *ticket) wait(ctx context.Context, n int64) error { return t.acquire(ctx, n, gateWait) }

// full says that there is no memory for a request.
func (g *gate) full() error {
	return newProblem(http.StatusServiceUnavailable, codeTooMuch, fmt.Sprintf(
		"the requests that are being worked on take as much memory as they may together, %d MiB (%s); try again", g.most>>20, limit.AdmitFlag),
	).with("Retry-After", "1")
}

// leave is for the request, or a run, that is done.
func (t *ticket) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.users--; t.users > 0 {
		return
	}
	for p, held := range t.held {
		t.gate.parts[p].Release(held)
	}
}

// join is for a run that goes on with what the request has brought. If the request is done
// already, the run waits until there is memory for that again. It reports whether it has
// joined: a run that was cancelled meanwhile need not.
func (t *ticket) join(ctx context.Context) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.users == 0 {
		if t.gate.parts[0].Acquire(ctx, t.held[0]) != nil {
			return false
		}
		if t.gate.parts[1].Acquire(ctx, t.held[1]) != nil {
			t.gate.parts[0].Release(t.held[0])
			return false
		}
	}
	t.users++
	return true
}

type ticketKey struct{}

// ticketOf returns the ticket of the request that ctx belongs to, or nil.
func ticketOf(ctx context.Context) *ticket {
	t, _ := ctx.Value(ticketKey{}).(*ticket)
	return t
}

// loading loads a stored workflow for a request when there is memory for so many bytes. What
// it takes then is known better. Nobody counts for runs that no request has started.
func loading(ctx context.Context, bytes int, load func() (*workflow.Definition, error)) (*workflow.Definition, error) {
	t := ticketOf(ctx)
	if t == nil {
		return load()
	}
	if err := t.more(ctx, int64(bytes)); err != nil {
		return nil, err
	}
	if bytes > smallBody*bodyGrowth {
		if err := t.compute(ctx, bytes); err != nil {
			return nil, err
		}
	}
	def, err := load()
	if err != nil {
		return nil, err
	}
	taken := int64(weightOf(def))
	if taken > int64(bytes) {
		return def, t.more(ctx, taken-int64(bytes))
	}
	t.less(int64(bytes) - taken)
	return def, nil
}

// weightOf returns about how many bytes of memory a document takes.
func weightOf(def *workflow.Definition) int {
	const each = 1 << 9 // a node or a connection, and what is compiled of it
	sum, todo := 0, []*workflow.Definition{def}
	for len(todo) > 0 {
		d := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		sum += each * (len(d.Nodes) + len(d.Connections))
		for i := range d.Nodes {
			n := &d.Nodes[i]
			sum += value.Weight(n.Config)
			if n.Body != nil {
				todo = append(todo, n.Body)
			}
		}
	}
	return sum
}

// withTicket returns ctx with a ticket.
func withTicket(ctx context.Context, t *ticket) context.Context {
	return context.WithValue(ctx, ticketKey{}, t)
}

// newTicket returns the ticket of a request.
func newTicket(g *gate) *ticket { return &ticket{gate: g, users: 1} }

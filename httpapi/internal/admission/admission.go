// Package admission limits the memory of requests: their bodies, and the documents and values that
// these become. A request holds a [Reservation] from a [Gate].
package admission

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
	"github.com/svcflow/svc/httpapi/internal/problem"
)

// Gate divides a fixed amount of memory among requests. A part of it is for small requests only,
// so that they never wait behind large ones. Make one with [New].
type Gate struct {
	most  int64
	parts [2]part

	Memory     *engine.Memory     // makes room on the heap for large values
	processors *engine.Processors // runs long computations

	mu      sync.Mutex
	waiting map[*Reservation]queued
}

// part is one part of the memory of a gate.
type part struct {
	*semaphore.Weighted

	most int64
}

const (
	// SmallBody is the largest body that is admitted by its length alone.
	SmallBody = 64 << 10
	// BodyGrowth is how many times the length of a body its decoding takes at most.
	BodyGrowth = 16
	// gateWait is how long a request whose body has arrived waits for more memory.
	gateWait = 5 * time.Second
	// gatePause is how long a request waits before its body is read: long enough for the
	// previous request of the connection to release its memory.
	gatePause = 200 * time.Millisecond
	// smallPart is the fraction of the memory that only small requests use.
	smallPart = 4
)

// New returns a gate over most bytes. Large requests take turns on processors.
func New(most int64, memory *engine.Memory, processors *engine.Processors) *Gate {
	small := most / smallPart
	return &Gate{
		most: most, Memory: memory, processors: processors,
		parts:   [2]part{{semaphore.NewWeighted(small), small}, {semaphore.NewWeighted(most - small), most - small}},
		waiting: map[*Reservation]queued{},
	}
}

// Reservation is the memory that a request and the runs it started hold together. Release ends the
// use of each of them. It is safe for concurrent use, except StartCompute, WaitTurn and EndCompute.
type Reservation struct {
	gate *Gate

	mu    sync.Mutex
	held  [2]int64        // of its parts
	users int             // the request, and runs
	slot  *engine.CPUSlot // nil until the first turn
}

// StartCompute waits for a turn to compute something large, and makes room for bytes on the heap.
// The turn lasts until EndCompute.
func (t *Reservation) StartCompute(ctx context.Context, bytes int) error {
	if err := t.WaitTurn(ctx); err != nil {
		return err
	}
	t.gate.Memory.Collect(bytes)
	return nil
}

// WaitTurn waits for a turn to compute.
func (t *Reservation) WaitTurn(ctx context.Context) error {
	if t.slot == nil {
		t.slot = t.gate.processors.Slot()
	}
	return t.slot.Acquire(ctx)
}

// EndCompute ends the turn. A run of the request takes its own turns.
func (t *Reservation) EndCompute() {
	if t.slot != nil {
		t.slot.Release()
	}
}

// Small reports whether the request fits into the part for small requests.
func (t *Reservation) Small() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.held[1] == 0
}

// share returns the part of the gate for n more bytes, and how many to acquire there. A request
// for more than the whole part is cut to it, so that it is admitted alone. Many small additions
// together count as large.
func (t *Reservation) share(n int64) (p int, bytes int64) {
	if t.held[0]+n > SmallBody*BodyGrowth {
		p = 1
	}
	return p, min(n, t.gate.parts[p].most-t.held[p])
}

// Reserve reserves n more bytes before a body is read. It waits only briefly.
func (t *Reservation) Reserve(ctx context.Context, n int64) error {
	return t.acquire(ctx, n, gatePause)
}

func (t *Reservation) acquire(ctx context.Context, n int64, atMost time.Duration) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, n := t.share(n)
	if !t.gate.parts[p].TryAcquire(n) {
		if !t.gate.queue(t, p, n) {
			return t.gate.Full()
		}
		defer t.gate.dequeue(t)
		waiting, cancel := context.WithTimeout(ctx, atMost)
		defer cancel()
		if t.gate.parts[p].Acquire(waiting, n) != nil {
			return cmp.Or(ctx.Err(), t.gate.Full())
		}
	}
	t.held[p] += n
	return nil
}

// queued is what a waiting reservation holds and asks for.
type queued struct {
	part       int
	held, asks int64
}

// queue records that a reservation waits. It returns false to prevent a deadlock, in which waiting
// reservations hold what the others wait for.
func (g *Gate) queue(t *Reservation, p int, n int64) bool {
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

func (g *Gate) dequeue(t *Reservation) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.waiting, t)
}

// less returns n bytes of the reservation.
func (t *Reservation) less(n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for p := len(t.held) - 1; p >= 0; p-- {
		part := min(n, t.held[p])
		t.gate.parts[p].Release(part)
		t.held[p] -= part
		n -= part
	}
}

// Exceeds reports whether bytes is more than the gate has for large requests.
func (g *Gate) Exceeds(bytes int) bool { return int64(bytes) > g.parts[1].most }

// more is Reserve for one of many objects, which together may not exceed the gate.
func (t *Reservation) more(ctx context.Context, n int64) error {
	t.mu.Lock()
	p, _ := t.share(n)
	before, most := t.held[p], t.gate.parts[p].most
	t.mu.Unlock()
	if before > 0 && before+n > most {
		return t.gate.Full()
	}
	return t.Reserve(ctx, n)
}

// ReserveWaiting reserves n more bytes for a body that has arrived. It may wait for seconds.
func (t *Reservation) ReserveWaiting(ctx context.Context, n int64) error {
	return t.acquire(ctx, n, gateWait)
}

// Full is the answer to a request for which there is no memory.
func (g *Gate) Full() error {
	return problem.New(http.StatusServiceUnavailable, problem.CodeTooMuch, fmt.Sprintf(
		"the requests that are being worked on take as much memory as they may together, %d MiB (%s); try again", g.most>>20, limit.AdmitFlag),
	).With("Retry-After", "1")
}

// Release ends the use by the request or by a run. The last one returns the memory.
func (t *Reservation) Release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.users--; t.users > 0 {
		return
	}
	for p, held := range t.held {
		t.gate.parts[p].Release(held)
	}
}

// Join adds a run that uses the values of the request. If the request has ended, Join waits until
// the same memory is free again. It returns false if ctx ends first; then do not call Release.
func (t *Reservation) Join(ctx context.Context) bool {
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

type reservationKey struct{}

// ReservationOf returns the reservation in ctx, or nil.
func ReservationOf(ctx context.Context) *Reservation {
	t, _ := ctx.Value(reservationKey{}).(*Reservation)
	return t
}

// Load loads a stored workflow after reserving the given number of bytes, and then corrects the
// reservation to the memory it really takes. Without a reservation in ctx, as in runs of triggers,
// it only loads.
func Load(ctx context.Context, bytes int, load func() (*workflow.Definition, error)) (*workflow.Definition, error) {
	t := ReservationOf(ctx)
	if t == nil {
		return load()
	}
	if err := t.more(ctx, int64(bytes)); err != nil {
		return nil, err
	}
	if bytes > SmallBody*BodyGrowth {
		if err := t.StartCompute(ctx, bytes); err != nil {
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

// weightOf estimates the memory of a document in bytes.
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

// WithReservation returns ctx with a reservation; see [ReservationOf].
func WithReservation(ctx context.Context, t *Reservation) context.Context {
	return context.WithValue(ctx, reservationKey{}, t)
}

// NewReservation returns an empty reservation, used by one request.
func NewReservation(g *Gate) *Reservation { return &Reservation{gate: g, users: 1} }

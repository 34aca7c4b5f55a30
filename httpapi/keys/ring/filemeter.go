package ring

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/svcflow/svc/httpapi/keys"
)

// saveEvery is how long it takes at most until the file tells that a key was used.
const saveEvery = time.Minute

// meter counts what is done with a key in this process.
type meter struct {
	requests *rate.Limiter // nil without that budget

	mu        sync.Mutex
	lastUsed  time.Time
	runs      map[string]bool // that are going on, by id; those without one yet are counted by starting
	starting  int
	day       string // that of the following two
	elsewhere int64  // bytes that the file knows of
	unsaved   int64  // bytes that it does not know of yet
	dirty     bool
}

func newMeter(b keys.Budget) *meter {
	m := &meter{runs: map[string]bool{}}
	if b.RequestsPerMinute > 0 {
		m.requests = rate.NewLimiter(rate.Limit(b.RequestsPerMinute)/60, b.RequestsPerMinute)
	}
	return m
}

// turn begins a new day if it is time. It is called with mu held.
func (m *meter) turn(now time.Time) {
	if day := dayOf(now); m.day != day {
		m.day, m.elsewhere, m.unsaved = day, 0, 0
	}
}

// learn takes over what the file says.
func (m *meter) learn(k *stored) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn(time.Now())
	if k.Day == m.day {
		m.elsewhere = k.BytesToday
	}
	if k.LastUsedAt.After(m.lastUsed) {
		m.lastUsed = k.LastUsedAt
	}
}

// describe returns k with what the meter knows of its use.
func (m *meter) describe(k keys.Key, now time.Time) keys.Key {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn(now)
	k.LastUsedAt, k.BytesToday = m.lastUsed, m.elsewhere+m.unsaved
	return k
}

// Begin implements [Meter].
func (h *fileKey) Begin(_ context.Context, body int64) error {
	now := time.Now()
	if h.meter.requests != nil && !h.meter.requests.AllowN(now, 1) {
		wait := time.Duration(math.Ceil(60/float64(h.budget().RequestsPerMinute))) * time.Second
		return spentRequests(h.budget(), wait)
	}
	h.use(now)
	m := h.meter
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn(now)
	return spentBytes(h.budget(), m.elsewhere+m.unsaved, body, tomorrow(now).Sub(now))
}

// use notes that the key is used, which the file will say before long.
func (h *fileKey) use(now time.Time) {
	h.change(func(m *meter) { m.lastUsed = now.UTC().Truncate(time.Minute) })
}

// change changes something that the file will say before long.
func (h *fileKey) change(f func(*meter)) {
	m := h.meter
	m.mu.Lock()
	f(m)
	first := !m.dirty
	m.dirty = true
	m.mu.Unlock()
	if first && !h.ring.closed.Load() {
		h.ring.saver.Reset(saveEvery)
	}
}

// Count implements [Meter].
func (h *fileKey) Count(bytes int64) {
	h.change(func(m *meter) {
		m.turn(time.Now())
		m.unsaved += bytes
	})
}

// StartRun implements [Meter].
func (h *fileKey) StartRun(context.Context) (RunSlot, error) {
	m := h.meter
	m.mu.Lock()
	defer m.mu.Unlock()
	if most := h.budget().Runs; most > 0 && m.starting+len(m.runs) >= most {
		return nil, spentRuns(h.budget())
	}
	m.starting++
	return &fileSlot{meter: m}, nil
}

// fileSlot is a [RunSlot] of this process.
type fileSlot struct {
	meter *meter
	runID string // "" until it is named
	freed bool
}

// Name implements [RunSlot].
func (p *fileSlot) Name(runID string) bool {
	p.meter.mu.Lock()
	defer p.meter.mu.Unlock()
	p.meter.starting--
	if p.meter.runs[runID] {
		p.freed = true
		return false
	}
	p.meter.runs[runID], p.runID = true, runID
	return true
}

// Free implements [RunSlot].
func (p *fileSlot) Free() {
	p.meter.mu.Lock()
	defer p.meter.mu.Unlock()
	switch {
	case p.freed:
		return
	case p.runID == "":
		p.meter.starting--
	default:
		delete(p.meter.runs, p.runID)
	}
	p.freed = true
}

// Save writes down how keys were used since it was written last.
func (r *FileRing) Save(ctx context.Context) error {
	r.saving.Lock()
	defer r.saving.Unlock()
	r.saver.Stop()
	r.mu.Lock()
	held := r.held
	r.mu.Unlock()
	used := map[string]*meter{}
	for _, h := range held {
		if h.meter.takeDirty() {
			used[fmt.Sprintf("%x", h.digest)] = h.meter
		}
	}
	if len(used) == 0 {
		return nil
	}
	return r.change(ctx, func(f *file) error {
		for i := range f.Keys {
			if m := used[f.Keys[i].Digest]; m != nil {
				m.save(&f.Keys[i])
			}
		}
		return nil
	})
}

func (m *meter) takeDirty() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	dirty := m.dirty
	m.dirty = false
	return dirty
}

// save puts into k what it does not know yet.
func (m *meter) save(k *stored) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn(time.Now())
	if k.Day != m.day {
		k.Day, k.BytesToday = m.day, 0
	}
	k.BytesToday += m.unsaved
	m.elsewhere, m.unsaved = k.BytesToday, 0
	if m.lastUsed.After(k.LastUsedAt) {
		k.LastUsedAt = m.lastUsed
	}
}

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

// saveEvery is the longest time until the use of a key is written to the file.
const saveEvery = time.Minute

// meter counts the use of a key in this process.
type meter struct {
	requests *rate.Limiter // nil without that budget

	mu        sync.Mutex
	lastUsed  time.Time
	runs      map[string]bool // active runs by id; those without an id are counted by starting
	starting  int
	day       string // of the following two counts
	elsewhere int64  // bytes that the file contains
	unsaved   int64  // bytes that the file does not contain yet
	dirty     bool
}

func newMeter(b keys.Budget) *meter {
	m := &meter{runs: map[string]bool{}}
	if b.RequestsPerMinute > 0 {
		m.requests = rate.NewLimiter(rate.Limit(b.RequestsPerMinute)/60, b.RequestsPerMinute)
	}
	return m
}

// turn starts a new day if necessary. The caller holds mu.
func (m *meter) turn(now time.Time) {
	if day := dayOf(now); m.day != day {
		m.day, m.elsewhere, m.unsaved = day, 0, 0
	}
}

// learn updates the meter from the file.
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

// describe returns k with its use.
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

// use records that the key is used.
func (h *fileKey) use(now time.Time) {
	h.change(func(m *meter) { m.lastUsed = now.UTC().Truncate(time.Minute) })
}

// change changes the meter and schedules a save.
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

// Save writes the use of keys since the last save to the file.
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

// save adds the unsaved use to k.
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

package statelog

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/svcflow/svc/store"

	"github.com/svcflow/svc/engine/limit"
)

// stateTable is all that a [store.StateStore] knows. It changes by lines alone, so that one that
// is read from a file is the one that was written.
type stateTable struct {
	revision int
	values   map[store.StateKey]store.StateValue
	lists    map[store.StateKey]*seenList
	lent     map[string][]*lending // by holder
	bytes    int64                 // about what all of it takes
	touched  uint64                // counts looks at items
}

// seenList is which items of lists were seen under a key, with when they were last there.
type seenList struct{ seen map[string]uint64 }

// lending is a loan of items.
type lending struct {
	key   store.StateKey
	items []string
	keep  int
	at    time.Time
	back  bool // given back
}

// stateLine is a change, as it is kept.
type stateLine struct {
	Do         stateChange     `json:"do"`
	Revision   int             `json:"revision,omitempty"`
	WorkflowID string          `json:"workflowId,omitempty"`
	Key        string          `json:"key,omitempty"`
	Value      json.RawMessage `json:"value,omitempty"`
	Until      time.Time       `json:"until,omitzero"`
	Items      []string        `json:"items,omitempty"`
	Gone       []string        `json:"gone,omitempty"` // items that are remembered no longer
	Keep       int             `json:"keep,omitempty"`
	Holder     string          `json:"holder,omitempty"`
	At         time.Time       `json:"at,omitzero"`
	Sum        uint32          `json:"sum,omitempty"` // of the lines of a batch
}

type stateChange string

const (
	stateSet    stateChange = "set"    // a value; without one it is deleted
	stateSee    stateChange = "see"    // items
	stateLend   stateChange = "lend"   // items, to a holder
	stateSettle stateChange = "settle" // all loans of a holder are over
	stateBack   stateChange = "back"   // they are given back
	stateRelend stateChange = "relend" // and lent again
	stateForget stateChange = "forget" // a workflow

	stateBatched stateChange = "batched" // the lines since the last one of these belong together
)

// What a value and an item take besides their text, about.
const (
	stateValueRoom = 100
	stateItemRoom  = 16
)

func newStateTable() *stateTable {
	return &stateTable{values: map[store.StateKey]store.StateValue{}, lists: map[store.StateKey]*seenList{}, lent: map[string][]*lending{}}
}

func sizeOf(key store.StateKey, v store.StateValue) int64 {
	if v.Value == nil {
		return 0
	}
	return int64(len(key.WorkflowID) + len(key.Key) + len(v.Value) + stateValueRoom)
}

func sizeOfItems(items []string) (n int64) {
	for _, item := range items {
		n += int64(len(item) + stateItemRoom)
	}
	return n
}

// value returns the value of a key at a time.
func (t *stateTable) value(key store.StateKey, now time.Time) store.StateValue {
	v := t.values[key]
	if !v.Until.IsZero() && !now.Before(v.Until) {
		return store.StateValue{}
	}
	return v
}

// page returns values of a workflow, as [store.StateStore] says.
func (t *stateTable) page(workflowID, after string, maxBytes int, now time.Time) (page []store.KeyedState, more bool) {
	var keys []string
	for key := range t.values {
		if key.WorkflowID == workflowID && key.Key > after && t.value(key, now).Value != nil {
			keys = append(keys, key.Key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		v := t.values[store.StateKey{WorkflowID: workflowID, Key: key}]
		if maxBytes -= len(key) + len(v.Value) + stateValueRoom; maxBytes < 0 && len(page) > 0 {
			return page, true
		}
		page = append(page, store.KeyedState{Key: key, StateValue: v})
	}
	return page, false
}

func (t *stateTable) applyAll(lines []*stateLine) {
	for _, l := range lines {
		t.apply(l)
	}
}

// apply makes a change.
func (t *stateTable) apply(l *stateLine) {
	key := store.StateKey{WorkflowID: l.WorkflowID, Key: l.Key}
	switch l.Do {
	case stateSet:
		t.revision = max(t.revision, l.Revision)
		t.set(key, store.StateValue{Value: l.Value, Revision: l.Revision, Until: l.Until})
	case stateSee:
		t.see(key, l.Items, l.Gone)
	case stateLend:
		t.lent[l.Holder] = append(t.lent[l.Holder], &lending{key: key, items: l.Items, keep: l.Keep, at: l.At})
		t.bytes += sizeOfItems(l.Items)
	case stateSettle:
		t.drop(l.Holder)
	case stateBack, stateRelend:
		for _, loan := range t.lent[l.Holder] {
			loan.back, loan.at = l.Do == stateBack, l.At
		}
	case stateForget:
		t.forget(l.WorkflowID)
	}
}

func (t *stateTable) set(key store.StateKey, v store.StateValue) {
	t.bytes += sizeOf(key, v) - sizeOf(key, t.values[key])
	if v.Value == nil {
		delete(t.values, key)
	} else {
		t.values[key] = v
	}
}

func (t *stateTable) see(key store.StateKey, items, gone []string) {
	list := t.lists[key]
	if list == nil {
		list = &seenList{map[string]uint64{}}
		t.lists[key] = list
	}
	for _, item := range items {
		if _, known := list.seen[item]; !known {
			t.bytes += int64(len(item) + stateItemRoom)
		}
		t.touched++
		list.seen[item] = t.touched
	}
	for _, item := range gone {
		if _, known := list.seen[item]; known {
			t.bytes -= int64(len(item) + stateItemRoom)
			delete(list.seen, item)
		}
	}
}

func (t *stateTable) drop(holder string) {
	for _, loan := range t.lent[holder] {
		t.bytes -= sizeOfItems(loan.items)
	}
	delete(t.lent, holder)
}

func (t *stateTable) forget(workflowID string) {
	for key := range t.values {
		if key.WorkflowID == workflowID {
			t.set(key, store.StateValue{})
		}
	}
	for key, list := range t.lists {
		if key.WorkflowID == workflowID {
			t.bytes -= sizeOfItems(slices.Collect(maps.Keys(list.seen)))
			delete(t.lists, key)
		}
	}
	for holder, loans := range t.lent {
		t.lent[holder] = slices.DeleteFunc(loans, func(loan *lending) bool {
			if loan.key.WorkflowID == workflowID {
				t.bytes -= sizeOfItems(loan.items)
			}
			return loan.key.WorkflowID == workflowID
		})
	}
}

// sweep forgets what has outlived its time.
func (t *stateTable) sweep(now time.Time) {
	for key, v := range t.values {
		if !v.Until.IsZero() && !now.Before(v.Until) {
			t.set(key, store.StateValue{})
		}
	}
	for holder, loans := range t.lent {
		if len(loans) == 0 || now.Sub(loans[len(loans)-1].at) > store.LentFor {
			t.drop(holder)
		}
	}
}

// room reports whether there is room for so many bytes more.
func (t *stateTable) room(more int64, now time.Time) error {
	if more <= 0 || t.bytes+more <= limit.StateBytes {
		return nil
	}
	if t.sweep(now); t.bytes+more > limit.StateBytes {
		return store.ErrStateFull
	}
	return nil
}

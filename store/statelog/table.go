package statelog

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/store"
)

// stateTable is the state of a [store.StateStore]. It only changes by applying lines, so that
// reading a log restores it exactly.
type stateTable struct {
	revision int
	values   map[store.StateKey]store.StateValue
	lists    map[store.StateKey]*seenList
	lent     map[string][]*lending // by holder
	bytes    int64                 // estimated size
	touched  uint64                // counter for the order in which items were seen
}

// seenList holds the items seen under a key, with the order in which they were last present.
type seenList struct{ seen map[string]uint64 }

// lending is a loan of items.
type lending struct {
	key   store.StateKey
	items []string
	keep  int
	at    time.Time
	back  bool // returned
}

// stateLine is a change in its stored form.
type stateLine struct {
	Do         stateChange     `json:"do"`
	Revision   int             `json:"revision,omitempty"`
	WorkflowID string          `json:"workflowId,omitempty"`
	Key        string          `json:"key,omitempty"`
	Value      json.RawMessage `json:"value,omitempty"`
	Until      time.Time       `json:"until,omitzero"`
	Items      []string        `json:"items,omitempty"`
	Gone       []string        `json:"gone,omitempty"` // items to forget
	Keep       int             `json:"keep,omitempty"`
	Holder     string          `json:"holder,omitempty"`
	At         time.Time       `json:"at,omitzero"`
	Sum        uint32          `json:"sum,omitempty"` // checksum of the lines of a batch
}

type stateChange string

const (
	stateSet    stateChange = "set"    // sets a value, or deletes it if Value is missing
	stateSee    stateChange = "see"    // marks items as seen
	stateLend   stateChange = "lend"   // lends items to a holder
	stateSettle stateChange = "settle" // ends all loans of a holder
	stateBack   stateChange = "back"   // returns all loans of a holder
	stateRelend stateChange = "relend" // takes them again
	stateForget stateChange = "forget" // deletes the state of a workflow

	stateBatched stateChange = "batched" // ends a batch
)

// Estimated size of a value and of an item, in addition to their texts.
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

// value returns the value of a key, unless it has expired.
func (t *stateTable) value(key store.StateKey, now time.Time) store.StateValue {
	v := t.values[key]
	if !v.Until.IsZero() && !now.Before(v.Until) {
		return store.StateValue{}
	}
	return v
}

// page returns values of a workflow; see [store.StateStore.States].
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

// apply applies a change.
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

// sweep deletes expired values and loans.
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

// room returns [store.ErrStateFull] if the state cannot grow by more bytes.
func (t *stateTable) room(more int64, now time.Time) error {
	if more <= 0 || t.bytes+more <= limit.StateBytes {
		return nil
	}
	if t.sweep(now); t.bytes+more > limit.StateBytes {
		return store.ErrStateFull
	}
	return nil
}

package statelog

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/svcflow/svc/store"
)

// change returns the line that replaces a value by v.
func (t *stateTable) change(key store.StateKey, v store.StateValue, now time.Time) (*stateLine, error) {
	if err := t.room(sizeOf(key, v)-sizeOf(key, t.values[key]), now); err != nil {
		return nil, err
	}
	return &stateLine{Do: stateSet, Revision: t.revision + 1, WorkflowID: key.WorkflowID, Key: key.Key, Value: v.Value, Until: v.Until.UTC()}, nil
}

// lend returns which items are new, and the line that lends them or marks them as seen; nil if
// nothing changes.
func (t *stateTable) lend(key store.StateKey, l store.Lent, now time.Time) (isNew []bool, line *stateLine, err error) {
	own, others := t.borrowed(key, l.Holder, now)
	list := t.lists[key]
	isNew = make([]bool, len(l.Items))
	met := make(map[string]bool, len(l.Items))
	var items []string
	for i, item := range l.Items {
		if list != nil {
			if _, seen := list.seen[item]; seen {
				t.touched++
				list.seen[item] = t.touched // still present, so others are forgotten first
				continue
			}
		}
		if isNew[i] = !met[item] && !others[item]; isNew[i] && !own[item] {
			items = append(items, item)
		}
		met[item] = true
	}
	if len(items) == 0 {
		return isNew, nil, nil
	}
	keep := max(l.Keep, len(l.Items))
	line = &stateLine{Do: stateLend, WorkflowID: key.WorkflowID, Key: key.Key, Items: items, Keep: keep, Holder: l.Holder, At: now.UTC()}
	if l.Holder == "" {
		line = t.seen(key, items, keep)
	}
	return isNew, line, t.room(sizeOfItems(items)-sizeOfItems(line.Gone), now)
}

// borrowed returns the items under a key that are lent to the holder, and to others.
func (t *stateTable) borrowed(key store.StateKey, holder string, now time.Time) (own, others map[string]bool) {
	own, others = map[string]bool{}, map[string]bool{}
	for who, loans := range t.lent {
		for _, loan := range loans {
			into := others
			switch {
			case loan.key != key || loan.back || now.Sub(loan.at) > store.LentFor:
				continue
			case who == holder:
				into = own
			}
			for _, item := range loan.items {
				into[item] = true
			}
		}
	}
	return own, others
}

// seen returns the line that marks items as seen, and forgets those that were not present for
// longest if there are more than keep.
func (t *stateTable) seen(key store.StateKey, items []string, keep int) *stateLine {
	line := &stateLine{Do: stateSee, WorkflowID: key.WorkflowID, Key: key.Key, Items: items}
	list := t.lists[key]
	if list == nil || len(list.seen)+len(items) <= keep {
		return line
	}
	others := maps.Clone(list.seen)
	for _, item := range items {
		delete(others, item)
	}
	if many := len(others) + len(items) - keep; many > 0 {
		known := slices.SortedFunc(maps.Keys(others), func(a, b string) int { return cmp.Compare(others[a], others[b]) })
		line.Gone = known[:min(len(known), many)]
	}
	return line
}

// settle returns the lines that end all loans of a holder.
func (t *stateTable) settle(holder string, seen bool, now time.Time) (lines []*stateLine) {
	loans := t.lent[holder]
	if len(loans) == 0 {
		return nil
	}
	if !seen {
		return []*stateLine{{Do: stateBack, Holder: holder, At: now.UTC()}}
	}
	for _, loan := range loans {
		lines = append(lines, t.seen(loan.key, loan.items, loan.keep))
	}
	return append(lines, &stateLine{Do: stateSettle, Holder: holder})
}

// relend returns the line that takes the returned loans of a holder again; none if the holder has
// no loans.
func (t *stateTable) relend(holder string, now time.Time) []*stateLine {
	if len(t.lent[holder]) == 0 {
		return nil
	}
	return []*stateLine{{Do: stateRelend, Holder: holder, At: now.UTC()}}
}

// lines returns the lines that build a table like this one.
func (t *stateTable) lines() (all []*stateLine) {
	all = append(all, &stateLine{Do: stateSet, Revision: t.revision}) // deletes nothing, but keeps the revision number
	for key, v := range t.values {
		all = append(all, &stateLine{Do: stateSet, Revision: v.Revision, WorkflowID: key.WorkflowID, Key: key.Key, Value: v.Value, Until: v.Until})
	}
	for key, list := range t.lists {
		items := slices.Collect(maps.Keys(list.seen))
		slices.SortFunc(items, func(a, b string) int { return cmp.Compare(list.seen[a], list.seen[b]) })
		all = append(all, &stateLine{Do: stateSee, WorkflowID: key.WorkflowID, Key: key.Key, Items: items})
	}
	for holder, loans := range t.lent {
		for _, loan := range loans {
			all = append(all, &stateLine{Do: stateLend, WorkflowID: loan.key.WorkflowID, Key: loan.key.Key, Items: loan.items, Keep: loan.keep, Holder: holder, At: loan.at})
		}
		if len(loans) > 0 && loans[0].back {
			all = append(all, &stateLine{Do: stateBack, Holder: holder, At: loans[0].at})
		}
	}
	return all
}

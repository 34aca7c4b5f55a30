package value

import (
	"maps"
	"slices"
)

// EditList calls edit for each item of a list and returns the list with what that
// gave. It copies the list when edit says of an item for the first time that it
// has changed; before that, and if nothing changes, it returns list itself, for
// values are shared. An error of edit ends it.
func EditList(list []any, edit func(i int, item any) (out any, changed bool, err error)) (out []any, changed bool, err error) {
	out = list
	for i, item := range list {
		item, differs, err := edit(i, item)
		if err != nil {
			return nil, false, err
		}
		if differs && !changed {
			out, changed = slices.Clone(list), true
		}
		if differs {
			out[i] = item
		}
	}
	return out, changed, nil
}

// EditRecord is [EditList] for the fields of a record, which come in no order.
func EditRecord(record map[string]any, edit func(key string, field any) (out any, changed bool, err error)) (out map[string]any, changed bool, err error) {
	out = record
	for key, field := range record {
		field, differs, err := edit(key, field)
		if err != nil {
			return nil, false, err
		}
		if differs && !changed {
			out, changed = maps.Clone(record), true
		}
		if differs {
			out[key] = field
		}
	}
	return out, changed, nil
}

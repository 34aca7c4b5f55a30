package value

import (
	"maps"
	"slices"
)

// EditList calls edit for each item of a list and returns the list with the results.
// Because values are shared, it copies the list when the first item changes, and returns
// list itself if none does. It stops at the first error of edit.
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

// EditRecord is [EditList] for the fields of a record, in no particular order.
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

package view

import (
	"maps"
	"slices"

	"github.com/svcflow/svc/engine/value"
)

// maxReadable is the maximum number of values that [Readable] visits.
const maxReadable = 1000

// Readable returns v with media that is not made yet replaced by the text of [Steps],
// because recipes are not readable. Other values, and those after the first thousand, are
// unchanged.
func Readable(v any) any {
	left := maxReadable
	made, _ := readable(v, &left)
	return made
}

// readable returns v itself if nothing in it changes.
func readable(v any, left *int) (made any, changed bool) {
	if *left--; *left < 0 {
		return v, false
	}
	switch v := v.(type) {
	case value.Media:
		if v.Recipe != "" {
			return Steps(v), true
		}
	case []any:
		return readableList(v, left)
	case map[string]any:
		return readableRecord(v, left)
	}
	return v, false
}

func readableList(list []any, left *int) (made any, changed bool) {
	for i := 0; i < len(list) && *left > 0; i++ {
		read, other := readable(list[i], left)
		if !other {
			continue
		}
		if !changed {
			list, changed = slices.Clone(list), true
		}
		list[i] = read
	}
	return list, changed
}

func readableRecord(record map[string]any, left *int) (made any, changed bool) {
	if d, ok := mediaOf(record); ok && d.Media.Path+d.Media.URL == "" {
		return d.Text, true
	}
	if len(record) > *left {
		return record, false
	}
	read := record
	for name, v := range record {
		part, other := readable(v, left)
		if !other {
			continue
		}
		if !changed {
			read, changed = maps.Clone(record), true
		}
		read[name] = part
	}
	return read, changed
}

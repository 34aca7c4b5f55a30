package jsonnode

import (
	"maps"
	"slices"

	"github.com/svcflow/svc/engine/value"
)

// plain returns v with credentials and media in their JSON form, as gojq expects. It copies
// only the lists and records that contain them.
func plain(v any) any {
	v, _ = simplify(v)
	return v
}

// simplify is plain. changed reports whether out differs from v.
func simplify(v any) (out any, changed bool) {
	switch x := v.(type) {
	case value.Credential:
		return string(x), true
	case value.Media:
		return mediaRecord(x), true
	case []any:
		var clone []any
		for i, e := range x {
			if c, changed := simplify(e); changed {
				if clone == nil {
					clone = slices.Clone(x)
				}
				clone[i] = c
			}
		}
		if clone != nil {
			return clone, true
		}
	case map[string]any:
		var clone map[string]any
		for k, e := range x {
			if c, changed := simplify(e); changed {
				if clone == nil {
					clone = maps.Clone(x)
				}
				clone[k] = c
			}
		}
		if clone != nil {
			return clone, true
		}
	}
	return v, false
}

// copier makes plain copies of values. gojq's del and |= empty write to the lists and
// records of their input, which others may be reading.
type copier struct {
	bytes int // approximate size of the copies
}

func (c *copier) value(v any) any {
	switch x := v.(type) {
	case []any:
		list := make([]any, len(x))
		c.bytes += listBytes + slotBytes*len(x)
		for i, e := range x {
			list[i] = c.value(e)
		}
		return list
	case map[string]any:
		record := make(map[string]any, len(x))
		c.bytes += recordBytes(len(x))
		for k, e := range x {
			c.bytes += len(k)
			record[k] = c.value(e)
		}
		return record
	case string:
		c.bytes += boxBytes + len(x)
		return v
	}
	c.bytes += wordBytes
	return plain(v)
}

func mediaRecord(m value.Media) map[string]any {
	record := map[string]any{"kind": m.Kind, "mime": m.MIME}
	if m.URL != "" {
		record["url"] = m.URL
	} else {
		record["path"] = m.Path
	}
	return record
}

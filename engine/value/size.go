package value

// MaxSize is how many bytes the JSON of one value may take. What puts values
// together out of others checks it: every part counts as often as it is reached,
// and so a few steps of putting a list twice into the next one would be enough to
// make a value that nobody can print, copy or walk.
const MaxSize = 256 << 20

// Size returns how many bytes the JSON of v takes, or some number above limit as
// soon as it is known to take more.
func Size(v any, limit int) int {
	m := meter{limit: limit}
	m.add(v)
	return m.size
}

// meter adds up sizes until they pass the limit.
type meter struct {
	size, limit int
	scratch     []byte
}

func (m *meter) add(v any) {
	switch v := v.(type) {
	case []any:
		m.size += 2 + max(0, len(v)-1) // brackets and commas
		for _, e := range v {
			if m.add(e); m.size > m.limit {
				return
			}
		}
	case map[string]any:
		m.size += 2 + max(0, len(v)-1) + len(v) // braces, commas and colons
		for k, e := range v {
			m.add(k)
			if m.add(e); m.size > m.limit {
				return
			}
		}
	default:
		m.scratch = Append(m.scratch[:0], v)
		m.size += len(m.scratch)
	}
}

package listops

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/svcflow/svc/engine/expr"
)

// keys makes keys for Go maps from values. Two values have the same key exactly if they
// have equal content: 1 and 1.0 are the same number, a credential equals its reference, and
// media equal their record. It is for one goroutine.
type keys struct {
	hash hash.Hash
	text []byte // buffer for the hash
}

// digest is the key of a list or record. A hash saves memory compared with a key of the
// value's size.
type digest [sha256.Size]byte

// of returns the key of v: v itself, an int for a float with an integer value, or a digest.
func (k *keys) of(v any) any {
	switch v := expr.Plain(v).(type) {
	case float64:
		if n, whole := wholeNumber(v); whole {
			return n
		}
		return v
	case []any, map[string]any:
		return k.digest(v)
	default:
		return v
	}
}

func (k *keys) digest(v any) digest {
	if k.hash == nil {
		k.hash = sha256.New()
	}
	k.hash.Reset()
	k.write(v)
	k.flush()
	return digest(k.hash.Sum(nil))
}

func (k *keys) flush() {
	k.hash.Write(k.text) // never fails
	k.text = k.text[:0]
}

// flushSize is the size from which the buffer is hashed, in bytes.
const flushSize = 4 << 10

// write writes an unambiguous encoding of v: each value begins with its kind, and values of
// variable length with their length.
func (k *keys) write(v any) {
	switch v := k.scalar(v).(type) {
	case []any:
		k.length('l', len(v))
		for _, e := range v {
			k.write(e)
		}
	case map[string]any:
		k.length('r', len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			k.string(name)
			k.write(v[name])
		}
	}
	if len(k.text) > flushSize {
		k.flush()
	}
}

// scalar writes v if it is not a list or record. It returns v with credentials and media in
// their plain form.
func (k *keys) scalar(v any) any {
	v = expr.Plain(v)
	switch v := v.(type) {
	case nil:
		k.text = append(k.text, 'n')
	case bool:
		k.text = strconv.AppendBool(k.text, v) // no other kind begins with t or f
	case int:
		k.length('i', v)
	case float64:
		if n, whole := wholeNumber(v); whole {
			k.length('i', n)
			break
		}
		k.text = binary.BigEndian.AppendUint64(append(k.text, 'd'), math.Float64bits(v))
	case string:
		k.string(v)
	}
	return v
}

func (k *keys) length(kind byte, n int) {
	k.text = binary.AppendVarint(append(k.text, kind), int64(n))
}

func (k *keys) string(s string) {
	k.length('s', len(s))
	k.text = append(k.text, s...)
}

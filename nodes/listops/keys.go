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

// keys makes keys for Go maps out of values. Two values have the same key exactly
// if they are equal by content, where 1 and 1.0 are the same number, a credential
// is its reference and media are their record. It is for one goroutine.
type keys struct {
	hash hash.Hash
	text []byte // on its way into the hash
}

// digest is the key of a list or record. A key as long as the value would double
// the memory.
type digest [sha256.Size]byte

// of returns the key of v: v itself, an int for a float that is one, or a digest.
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

// flushSize is how much text is collected before it is hashed, in bytes.
const flushSize = 4 << 10

// write writes v so that different values give different texts: each begins with
// its kind, and what has no fixed length with its length.
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

// scalar writes v if it is no list or record, and returns it without disguise.
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

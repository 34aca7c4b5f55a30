package value

import "strings"

// moveBytes and moveItems limit how much is copied at once. Go cannot preempt a goroutine
// within a copy, and all others wait while it wants to stop the world: copying 60 MB into
// fresh pages takes 40 ms and more.
const (
	moveBytes = 256 << 10
	moveItems = moveBytes / slotBytes
)

// Concat returns the items of all lists, one after the other, in a new slice of exactly
// their number. It copies long lists in steps, between which other goroutines can run.
func Concat(lists ...[]any) []any {
	n := 0
	for _, list := range lists {
		n += len(list)
	}
	all := make([]any, n)
	rest := all
	for _, list := range lists {
		for len(list) > 0 {
			n := moveSome(rest, list[:min(len(list), moveItems)])
			rest, list = rest[n:], list[n:]
		}
	}
	return all
}

// Text returns a copy of data as a string, copied in steps as in [Concat].
func Text(data []byte) string {
	if len(data) <= moveBytes {
		return string(data)
	}
	var b strings.Builder
	b.Grow(len(data))
	for len(data) > 0 {
		n := min(len(data), moveBytes)
		writeSome(&b, data[:n])
		data = data[n:]
	}
	return b.String()
}

// Grow returns dst with room for n more bytes. It copies long slices in steps as in
// [Concat] and leaves short ones to append.
func Grow(dst []byte, n int) []byte {
	if cap(dst)-len(dst) < n && len(dst)+n > moveBytes {
		return grown(dst, max(len(dst)+n, cap(dst)+cap(dst)/4))
	}
	return dst
}

func grown(dst []byte, size int) []byte {
	longer := make([]byte, len(dst), size)
	for at := 0; at < len(dst); at += moveBytes {
		moveSome(longer[at:], dst[at:min(at+moveBytes, len(dst))])
	}
	return longer
}

// moveSome copies one step. It must be a separate function, because Go checks for
// preemption at calls.
//
//go:noinline
func moveSome[T any](dst, src []T) int { return copy(dst, src) }

//go:noinline
func writeSome(b *strings.Builder, text []byte) { b.Write(text) }

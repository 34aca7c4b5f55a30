package value

import "strings"

// moveItems is how many bytes, or items of a list, are moved at once. Go cannot stop a
// goroutine in the middle of a move, and while it waits for that all others stand still:
// 60 MB whose pages the system has yet to give take 40 ms and more.
const (
	moveBytes = 256 << 10
	moveItems = moveBytes / slotBytes
)

// Concat returns the items of all lists one behind the other, in memory of its own and of
// their size. What is long is moved in steps, between which others may go on.
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

// Text returns a copy of data as text, made in steps as those of [Concat].
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

// Grow returns dst with room for n bytes more. If it is long, it is moved in steps as those
// of [Concat], and else left to append.
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

// moveSome is a step. Its own call is where Go looks whether others are to go on.
//
//go:noinline
func moveSome[T any](dst, src []T) int { return copy(dst, src) }

//go:noinline
func writeSome(b *strings.Builder, text []byte) { b.Write(text) }

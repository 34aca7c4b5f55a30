package httpapi

import (
	"bytes"
	"net/http"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

const (
	gzipFrom = 1 << 10 // bytes of a body from which on compressing it is worth the while
	gzipMark = `-gzip"`
)

// zipper compresses one body after the other.
type zipper struct {
	writer *gzip.Writer
	out    bytes.Buffer
}

func newZipper() any {
	writer, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // which is a level that there is
	return &zipper{writer: writer}
}

// zip returns text compressed; it is good until the next one.
func (z *zipper) zip(text []byte) []byte {
	z.out.Reset()
	z.writer.Reset(&z.out)
	_, _ = z.writer.Write(text) // into memory, which does not fail
	_ = z.writer.Close()
	return z.out.Bytes()
}

// fixed is a body that stays the same as long as the service is there. It is
// compressed when the first client wants it so.
type fixed struct {
	plain  []byte
	zipped func() []byte
}

func newFixed(text []byte) fixed {
	return fixed{text, sync.OnceValue(func() []byte {
		var out bytes.Buffer
		writer, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // as in zipper
		_, _ = writer.Write(text)
		_ = writer.Close()
		return out.Bytes()
	})}
}

// mayZip reports whether a body of this many bytes is to be compressed, and says in the
// answer that this depends on the request.
func (a *answer) mayZip(size int) bool {
	if size < gzipFrom {
		return false
	}
	a.Header().Add("Vary", "Accept-Encoding")
	return accepts(a.encodings, "gzip", "*")
}

// markZipped says in the header that the body comes compressed. To those who compare
// tags it is another state than the plain one.
func (a *answer) markZipped(status int) {
	h := a.Header()
	h.Set("Content-Encoding", "gzip")
	if tag := h.Get("ETag"); tag != "" && status == http.StatusOK {
		h.Set("ETag", strings.TrimSuffix(tag, `"`)+gzipMark)
	}
}

// unzipped returns the tag of the plain state for that of either.
func unzipped(tag string) string {
	if plain, ok := strings.CutSuffix(tag, gzipMark); ok {
		return plain + `"`
	}
	return tag
}

package httpapi

import (
	"bytes"
	"net/http"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

const (
	gzipFrom = 1 << 10 // bodies from this size on are compressed
	gzipMark = `-gzip"`
)

// zipper compresses bodies, one after the other.
type zipper struct {
	writer *gzip.Writer
	out    bytes.Buffer
}

func newZipper() any {
	writer, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	return &zipper{writer: writer}
}

// zip returns text compressed. The result is valid until the next call.
func (z *zipper) zip(text []byte) []byte {
	z.out.Reset()
	z.writer.Reset(&z.out)
	_, _ = z.writer.Write(text) // writing to memory cannot fail
	_ = z.writer.Close()
	return z.out.Bytes()
}

// fixed is a constant body. It is compressed when the first client accepts that.
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

// mayZip reports whether to compress a body of this size, and adds the Vary header.
func (a *answer) mayZip(size int) bool {
	if size < gzipFrom {
		return false
	}
	a.Header().Add("Vary", "Accept-Encoding")
	return accepts(a.encodings, "gzip", "*")
}

// markZipped sets the headers of a compressed body. Its entity tag differs from that of the plain
// body.
func (a *answer) markZipped(status int) {
	h := a.Header()
	h.Set("Content-Encoding", "gzip")
	if tag := h.Get("ETag"); tag != "" && status == http.StatusOK {
		h.Set("ETag", strings.TrimSuffix(tag, `"`)+gzipMark)
	}
}

// unzipped returns the tag of the plain body for the tag of either.
func unzipped(tag string) string {
	if plain, ok := strings.CutSuffix(tag, gzipMark); ok {
		return plain + `"`
	}
	return tag
}

package archive

import (
	"compress/bzip2"
	"fmt"
	"io"

	"github.com/klauspost/compress/zip"
	"github.com/klauspost/compress/zstd"
)

// Methods that entries are packed with (APPNOTE 4.4.5), and their names.
const (
	deflate64 = 9
	bzip2ZIP  = 12
	zstdOld   = 20
	zstdZIP   = 93
	aes       = 99
)

// maxWindow is the most memory that unpacking zstd takes, in bytes.
const maxWindow = 64 << 20

// register adds the methods that libraries can unpack.
func register(z *zip.Reader) {
	z.RegisterDecompressor(bzip2ZIP, func(r io.Reader) io.ReadCloser { return io.NopCloser(bzip2.NewReader(r)) })
	unpack := zstd.ZipDecompressor(zstd.WithDecoderMaxMemory(maxWindow), zstd.WithDecoderConcurrency(1))
	z.RegisterDecompressor(zstdZIP, unpack)
	z.RegisterDecompressor(zstdOld, unpack)
}

// methodName returns the name of a method for messages.
func methodName(method uint16) string {
	switch method {
	case 1:
		return "shrink"
	case 2, 3, 4, 5:
		return "reduce"
	case 6:
		return "implode"
	case deflate64:
		return "Deflate64"
	case 10:
		return "PKWARE DCL implode"
	case 14:
		return "LZMA"
	case 95:
		return "XZ"
	case 96:
		return "JPEG"
	case 97:
		return "WavPack"
	case 98:
		return "PPMd"
	case aes:
		return "AES encryption"
	}
	return fmt.Sprintf("method %d", method)
}

// flags of entries (APPNOTE 4.4.4).
const (
	encrypted  = 1 << 0
	patched    = 1 << 5
	strongly   = 1 << 6
	utf8Name   = 1 << 11
	hiddenName = 1 << 13
)

// unreadable says why an entry cannot be unpacked, whatever is in it; "" if it can be tried.
func unreadable(f *zip.File) string {
	switch {
	case f.Flags&(encrypted|strongly|hiddenName) != 0 || f.Method == aes:
		return "it is encrypted; pack it without a password"
	case f.Flags&patched != 0:
		return "it is a patch of another file"
	}
	switch f.Method {
	case zip.Store, zip.Deflate, bzip2ZIP, zstdZIP, zstdOld:
		return ""
	}
	return "it is packed with " + methodName(f.Method) + ", which cannot be unpacked here; pack it with Deflate"
}

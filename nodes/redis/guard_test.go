package redis

import (
	"bytes"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/stretchr/testify/require"
)

// pieces is a connection that brings bytes, so many at a time.
type pieces struct {
	net.Conn

	left []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.left) == 0 {
		return 0, net.ErrClosed
	}
	n := copy(b[:min(len(b), p.size)], p.left)
	p.left = p.left[n:]
	return n, nil
}

func (p *pieces) Close() error { return nil }

func (p *pieces) SetReadDeadline(time.Time) error { return nil }

// FuzzGuard holds the guard to what the client reads: whatever comes, in whatever pieces, it
// lets the same through, and what it lets through nests no deeper than it may.
func FuzzGuard(f *testing.F) {
	for _, text := range []string{"+OK\r\n", "*2\r\n$3\r\na\r\n\r\n:7\r\n", "*-1\r\n", "$-1\r\n", "*1\r\n*1\r\n*0\r\n+x\r\n", "*99999999\r\n", "$5\r\nab", "-ERR x\r\n*1\n+\n"} {
		f.Add([]byte(text), uint8(3))
	}
	f.Fuzz(func(t *testing.T, text []byte, size uint8) {
		read := func(size int) (any, error) {
			g := &guard{Conn: &pieces{left: bytes.Clone(text), size: size}}
			g.renew()
			return redis.NewConn(g, 0, 0).Receive()
		}
		whole, wrong := read(1 << 20)
		if errors.Is(wrong, errTooLarge) {
			return // in pieces the client may have its answer before it
		}
		cut, alsoWrong := read(1 + int(size))
		require.Equal(t, whole, cut)
		require.Equal(t, wrong == nil, alsoWrong == nil)
		require.LessOrEqual(t, depth(whole), mostDepth)
	})
}

func depth(v any) int {
	deepest := 0
	if list, ok := v.([]any); ok {
		for _, item := range list {
			deepest = max(deepest, depth(item))
		}
		deepest++
	}
	return deepest
}

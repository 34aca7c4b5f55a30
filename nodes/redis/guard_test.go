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

// pieces is a connection whose Read returns a few bytes at a time.
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

// FuzzGuard compares the guard with the client: whatever the server sends, and however it
// is split, the guard passes the same bytes, and no reply nests deeper than the limit.
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
			return // split replies may reach the client before the excess
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

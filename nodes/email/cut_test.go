package email_test

import (
	"bytes"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// cut returns the address of a proxy that ends each connection as soon as the client has
// sent marker and the server answers. An empty marker means at the beginning. With hang,
// the proxy stops answering instead, and closes stuck when it does.
func cut(t *testing.T, backend, marker string, hang bool) (address string, stuck chan struct{}) {
	t.Helper()
	stuck = make(chan struct{})
	l := listen(t, plain, nil)
	serve(t, func() error {
		for {
			client, err := l.Accept()
			if err != nil {
				return err
			}
			relay(client, backend, marker, func() {
				close(stuck)
				if hang {
					_, _ = io.Copy(io.Discard, client) // until the client disconnects
				}
			})
		}
	}, l)
	return l.Addr().String(), stuck
}

// relay connects client with backend. It calls end instead of forwarding the answer to the
// client.
func relay(client net.Conn, backend, marker string, end func()) {
	server, err := net.Dial("tcp", backend) // closed with the client's connection
	if err != nil {
		_ = client.Close()
		return
	}
	var armed atomic.Bool
	armed.Store(marker == "")
	var wg sync.WaitGroup
	wg.Go(func() {
		defer server.Close()
		var said []byte
		for buf := make([]byte, 4096); ; {
			n, err := client.Read(buf)
			said = append(said, buf[:n]...)
			if bytes.Contains(said, []byte(marker)) {
				armed.Store(true)
			}
			if _, werr := server.Write(buf[:n]); err != nil || werr != nil {
				return
			}
		}
	})
	for buf := make([]byte, 4096); ; {
		n, err := server.Read(buf)
		if armed.Load() && err == nil {
			end()
			break
		}
		if _, werr := client.Write(buf[:n]); err != nil || werr != nil {
			break
		}
	}
	_ = client.Close()
	_ = server.Close()
	wg.Wait()
}

//go:build e2e

package redis_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/nodetest"
	"github.com/svcflow/svc/nodes/redis"
)

// server starts a Redis server for the test, and returns its address.
func server(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	require.NoError(t, err, ".ci/run installs it")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	_, port, _ := net.SplitHostPort(address)
	dir := t.TempDir()
	config := "bind 127.0.0.1\nport " + port + "\nsave \"\"\ndir " + dir + "\nuser default off\nuser ann on >canary-7 ~* +@all\nuser bob on >canary-8 ~* +get\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "redis.conf"), []byte(config), 0o600))
	cmd := exec.Command(path, filepath.Join(dir, "redis.conf"))
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(said.String())
		}
	})
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}, time.Minute, 20*time.Millisecond)
	return address
}

func TestRedis(t *testing.T) {
	address := server(t)
	h := open(t, redis.Config{Dial: direct}, map[string]string{"redis:main": dsn("redis://ann:canary-7@" + address + "/2")})
	is := func(want any, command string, args ...any) {
		t.Helper()
		got, err := ask(h, command, args...)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	is("PONG", "ping")
	is("OK", "SET", "n", 1<<62+1, "EX", 60)
	is("4611686018427387905", "GET", "n")
	is(4611686018427387906, "INCR", "n")
	is(nil, "GET", "nothing")
	is("OK", "SET", "record", record{"a": []any{1, nil, "ä😀"}})
	is(`{"a":[1,null,"ä😀"]}`, "GET", "record")
	is(3, "HSET", "h", "a", 1.5, "b", true, "c", "")
	is(record{"a": "1.5", "b": "true", "c": ""}, "HGETALL", "h")
	is(record{}, "HGETALL", "none")
	is(record{"maxmemory": "0"}, "config get", "maxmemory")
	is(3, "RPUSH", "l", "x", "y\r\n$3\r\nz", "DEL l")
	is([]any{"x", "y\r\n$3\r\nz", "DEL l"}, "LRANGE", "l", 0, -1)
	is([]any{"a", 7, nil, []any{"OK"}}, "EVAL", "return {'a', 7, false, {redis.status_reply('OK')}}", 0)
	many := make([]any, 0, 100_000)
	for i := range 50_000 {
		many = append(many, "k"+strconv.Itoa(i), i)
	}
	is("OK", "MSET", many...)

	for command, c := range map[string]struct {
		args []any
		code string
	}{
		"LPUSH": {[]any{"n", 1}, "redis_error"}, "NOSUCH": {nil, "redis_error"}, "GET": {[]any{nil}, node.CodeInvalidInput}, "SET": {[]any{"one"}, "redis_error"},
		"EVAL": {[]any{"return redis.error_reply('BUSY later')", 0}, node.CodeUnavailable},
	} {
		_, err := ask(h, command, c.args...)
		require.Equal(t, c.code, node.CodeOf(err), "%s: %v", command, err)
	}
	refused(t, address)
	endsSoon(t, h)
	bounded(t, h)
}

// refused checks the errors for a wrong password, and for a user without some permissions.
func refused(t *testing.T, address string) {
	t.Helper()
	for user, c := range map[string]struct{ command, code string }{
		"ann:canary-9@": {"PING", node.CodeReauthorize}, "": {"PING", node.CodeReauthorize}, "bob:canary-8@": {"DBSIZE", "redis_error"},
	} {
		_, err := ask(open(t, redis.Config{Dial: direct}, map[string]string{"redis:main": dsn("redis://" + user + address)}), c.command)
		require.Equal(t, c.code, node.CodeOf(err), "%s: %v", user, err)
		require.NotContains(t, err.Error(), "canary")
	}
}

// blocked returns the number of blocked clients.
func blocked(t *testing.T, h *nodetest.Host) string {
	t.Helper()
	info, err := ask(h, "INFO", "clients")
	require.NoError(t, err)
	_, after, _ := strings.Cut(info.(string), "blocked_clients:")
	count, _, _ := strings.Cut(after, "\r\n")
	return count
}

// endsSoon checks that a cancelled command that would block forever also ends at the
// server.
func endsSoon(t *testing.T, h *nodetest.Host) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := h.ExecContext(ctx, "redis.command", record{"credential": "redis:main", "command": "BLPOP"}, record{"args": []any{"never", 0}})
		ended <- err
	}()
	require.Eventually(t, func() bool { return blocked(t, h) == "1" }, time.Minute, 10*time.Millisecond)
	cancel()
	require.True(t, errors.Is(<-ended, context.Canceled))
	require.Eventually(t, func() bool { return blocked(t, h) == "0" }, time.Minute, 10*time.Millisecond)
}

// bounded checks that many runs share few connections.
func bounded(t *testing.T, h *nodetest.Host) {
	t.Helper()
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if _, err := ask(h, "BLPOP", "never", 0.05); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	info, err := ask(h, "INFO", "stats")
	require.NoError(t, err)
	_, after, _ := strings.Cut(info.(string), "total_connections_received:")
	count, _, _ := strings.Cut(after, "\r\n")
	n, err := strconv.Atoi(count)
	require.NoError(t, err)
	require.Less(t, n, 30, "those of this test and of the ones before")
}

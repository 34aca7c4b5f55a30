package redis_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/nodetest"
	"github.com/svcflow/svc/nodes/redis"
)

type record = map[string]any

// direct dials any address.
func direct(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, network, address)
}

// open returns a host with a credential for each reference.
func open(t testing.TB, c redis.Config, accounts map[string]string) *nodetest.Host {
	t.Helper()
	secrets := &credentials.Memory{}
	for ref, text := range accounts {
		parsed, err := credentials.Parse(text)
		require.NoError(t, err)
		require.NoError(t, secrets.SetCredential(t.Context(), credentials.Ref(ref), parsed))
	}
	c.Credentials = secrets
	p := redis.New(c)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return nodetest.New(t, p)
}

func dsn(text string) string { return fmt.Sprintf(`{"kind":"dsn","dsn":%q}`, text) }

// ask sends a command with the credential redis:main.
func ask(h *nodetest.Host, command string, args ...any) (any, error) {
	if args == nil {
		args = []any{}
	}
	out, err := h.Exec("redis.command", record{"credential": "redis:main", "command": command}, record{"args": args})
	return out["result"], err
}

func TestSpecs(t *testing.T) { nodetest.Check(t, redis.New(redis.Config{})) }

func TestRandom(t *testing.T) {
	nodetest.Quick(t, redis.New(redis.Config{}), map[string][]map[string]any{"redis.command": {{"credential": "redis:main", "command": "GET"}}})
}

func TestCommandsThatAreNone(t *testing.T) {
	h := open(t, redis.Config{}, nil)
	for command, says := range map[string]string{
		"": "write the name", " ": "write the name", "SET a b": "belongs into args", "GET\nx": "write the name", "gét": "write the name",
		"select": "changes a connection", "Subscribe": "changes a connection", "client kill": "changes a connection", "MULTI": "changes a connection",
	} {
		problems := h.Problems("redis.command", record{"credential": "redis:main", "command": command})
		require.Len(t, problems, 1, command)
		require.Contains(t, problems[0].Message, says, command)
	}
}

// Errors about a data source do not contain it, and forbidden addresses are not dialled.
func TestDataSources(t *testing.T) {
	for source, says := range map[string]string{
		"redis://canary@db.example.com/x":              "the number of the database",
		"redis://ann:canary@db.example.com?passfile=x": "write it as redis://",
		"postgres://ann:canary@db.example.com":         "write it as redis://",
		"canary":                                       "write it as redis://",
		"redis://ann:canary@db.example.com":            "may not reach",
		"rediss://ann:canary@db.example.com:1/3":       "may not reach",
	} {
		_, err := ask(open(t, redis.Config{}, map[string]string{"redis:main": dsn(source)}), "PING")
		require.ErrorContains(t, err, says, source)
		require.NotContains(t, fmt.Sprintf("%+v", err), "canary")
	}
	_, err := ask(open(t, redis.Config{Dial: direct}, map[string]string{"redis:main": `{"kind":"dsn","dsn":"redis://127.0.0.1:1","hosts":["db.example.com"]}`}), "PING")
	require.Equal(t, node.CodeForbidden, node.CodeOf(err), err)
	_, err = ask(open(t, redis.Config{Dial: direct}, map[string]string{"redis:main": dsn("redis://127.0.0.1:1")}), "PING")
	require.Equal(t, node.CodeUnavailable, node.CodeOf(err), err)
}

// answers starts a server that always sends the same reply, and returns its data source.
func answers(t *testing.T, answer string) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer conn.Close()
				if _, err := bufio.NewReader(conn).ReadString('\n'); err == nil {
					_, _ = conn.Write([]byte(answer))
				}
			})
		}
	})
	t.Cleanup(func() { _ = l.Close(); wg.Wait() })
	return dsn("redis://" + l.Addr().String())
}

// Malformed and malicious replies give errors.
func TestHostileAnswers(t *testing.T) {
	for name, c := range map[string]struct{ answer, code string }{
		"a list of a billion":        {"*1000000000\r\n", node.CodeLimitExceeded},
		"a list without end":         {"*99999999999999999999\r\n", node.CodeLimitExceeded},
		"a text without end":         {"$18446744073709551617\r\n", node.CodeLimitExceeded},
		"many lists":                 {"*2\r\n*900000\r\n" + strings.Repeat("+\r\n", 900_000) + "*900000\r\n", node.CodeLimitExceeded},
		"lists in lists":             {strings.Repeat("*1\r\n", 10_000_000/4), node.CodeLimitExceeded},
		"a text of a gigabyte":       {"$1000000000\r\n", node.CodeLimitExceeded},
		"a line without an end":      {"+" + strings.Repeat("x", 1<<20), node.CodeLimitExceeded},
		"a number that is none":      {"*x\r\n", node.CodeUnavailable},
		"nothing of the protocol":    {"HTTP/1.1 400 Bad Request\r\n\r\n", node.CodeUnavailable},
		"an end in the middle":       {"$10\r\nabc", node.CodeUnavailable},
		"nothing at all":             {"", node.CodeUnavailable},
		"an error within a list":     {"*2\r\n+a\r\n-ERR no\r\n", "redis_error"},
		"that it is loading":         {"-LOADING soon\r\n", node.CodeUnavailable},
		"that the password is wrong": {"-WRONGPASS x\r\n", node.CodeReauthorize},
	} {
		_, err := ask(open(t, redis.Config{Dial: direct}, map[string]string{"redis:main": answers(t, c.answer)}), "KEYS", "*")
		require.Equal(t, c.code, node.CodeOf(err), "%s: %v", name, err)
	}
	for answer, want := range map[string]any{
		"*3\r\n$-1\r\n:7\r\n*2\r\n$4\r\na\r\nb\r\n*0\r\n": []any{nil, 7, []any{"a\r\nb", []any{}}}, "*-1\r\n": nil, "+OK\r\n": "OK", "$2\r\n\xff\xfe\r\n": "\ufffd",
	} {
		got, err := ask(open(t, redis.Config{Dial: direct}, map[string]string{"redis:main": answers(t, answer)}), "KEYS", "*")
		require.NoError(t, err, answer)
		require.Equal(t, want, got, answer)
	}
}

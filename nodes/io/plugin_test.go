package ionode_test

import (
	"io"
	"net/http"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	ionode "github.com/svcflow/svc/nodes/io"
	"github.com/svcflow/svc/nodes/nodetest"
)

type record = map[string]any

// rootFiles is a minimal file system for tests.
type rootFiles struct{ *os.Root }

func (rootFiles) Clean(name string) (string, error) { return path.Clean(name), nil }

func (rootFiles) Writer(f *os.File) io.Writer { return f }

func (rootFiles) Place(name string) string { return "<" + name + ">" }

// host returns a host of the io nodes, and the directory of their files.
func host(t *testing.T, client *http.Client) (*nodetest.Host, string) {
	t.Helper()
	dir, env := filesEnv(t)
	env.HTTP = client
	return nodetest.New(t, ionode.Plugin(env)), dir
}

// filesEnv returns a directory, and an Env with its files.
func filesEnv(t *testing.T) (dir string, env ionode.Env) {
	t.Helper()
	dir = t.TempDir()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, root.Close()) })
	return dir, ionode.Env{Files: rootFiles{root}}
}

func TestSpecs(t *testing.T) { nodetest.Check(t, ionode.Plugin(ionode.Env{})) }

// replies answers each request with one of a few answers, some of them unusual.
type replies struct{}

func (replies) RoundTrip(req *http.Request) (*http.Response, error) {
	answers := []http.Response{
		{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(`{"a":[1,2.5,null]}`))},
		{StatusCode: 503, Header: http.Header{"\xff": {"\xff"}}, Body: io.NopCloser(strings.NewReader("\xff\x00"))},
		{StatusCode: 302, Header: http.Header{"Location": {"::"}}, Body: http.NoBody},
	}
	answer := answers[len(req.URL.String())%len(answers)]
	answer.Request, answer.ContentLength = req, -1
	return &answer, nil
}

func TestRandom(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	require.NoError(t, err)
	defer root.Close() //nolint:errcheck // a test's folder
	env := ionode.Env{
		HTTP: &http.Client{Transport: replies{}}, Files: rootFiles{root}, Credentials: keys{"webhook:shop": "k3y"},
		Getenv: func(name string) (string, bool, error) { return name + "\xff", name != "", nil },
	}
	address := []map[string]any{nil, {"url": "http://example.com"}, {"url": "http://example.com/a"}, {"url": "http://example.com/ab", "failOnStatus": true}}
	nodetest.Quick(t, ionode.Plugin(env), map[string][]map[string]any{
		"io.http_request": address,
		"io.webhook_post": append(address, map[string]any{"url": "http://example.com", "secret": "webhook:shop"}),
		"io.input":        {nil, {"name": "a"}, {"name": "a", "type": "list<int>"}, {"name": "a", "type": "any", "required": true}},
	})
}

func TestNothingIsInReachOfTheZeroEnv(t *testing.T) {
	tests := []struct {
		typ    string
		inputs record
	}{
		{"io.http_request", record{"url": "http://example.com"}},
		{"io.webhook_post", record{"url": "http://example.com", "payload": 1}},
		{"io.file_read", record{"path": "a"}},
		{"io.file_write", record{"path": "a", "content": "x"}},
		{"io.file_list", record{}},
		{"io.resolve_path", record{"base_dir": "a", "relative_path": "b"}},
		{"io.env_read", record{"name": "HOME"}},
	}
	h := nodetest.New(t, ionode.Plugin(ionode.Env{}))
	for _, tt := range tests {
		t.Run(tt.typ, func(t *testing.T) {
			_, err := h.Exec(tt.typ, nil, tt.inputs)
			require.Equal(t, node.CodeForbidden, node.CodeOf(err))
			require.True(t, node.IsPermanent(err))
		})
	}
}

func TestEnvRead(t *testing.T) {
	getenv := func(name string) (string, bool, error) {
		switch name {
		case "SVC_VAR_A":
			return "one", true, nil
		case "SVC_VAR_BYTES":
			return "\xff!", true, nil
		case "SECRET":
			return "", false, node.Errorf(node.CodeForbidden, "no")
		}
		return "", false, nil
	}
	h := nodetest.New(t, ionode.Plugin(ionode.Env{Getenv: getenv}))
	tests := []struct {
		name string
		want record
		code string
	}{
		{"SVC_VAR_A", record{"value": "one", "found": true}, ""},
		{"SVC_VAR_BYTES", record{"value": "\uFFFD!", "found": true}, ""},
		{"SVC_VAR_B", record{"value": nil, "found": false}, ""},
		{"SECRET", nil, "forbidden"},
		{"", nil, "invalid_input"},
	}
	for _, tt := range tests {
		got, err := h.Exec("io.env_read", nil, record{"name": tt.name})
		if tt.code != "" {
			require.Equal(t, tt.code, node.CodeOf(err))
			continue
		}
		require.NoError(t, err)
		require.Equal(t, tt.want, got)
	}
}

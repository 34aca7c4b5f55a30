package httpapi_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/nodes"
	nodeservice "github.com/svcflow/svc/nodes/service"
)

// canaryNodes are nodes that use a credential and output everything they know: one calls an API
// with it, the other outputs the secret itself.
func canaryNodes(env nodes.Env) []node.Plugin {
	resolver := nodeservice.Resolver{Provider: env.Credentials}
	type callIn struct {
		Credential value.Credential `port:"credential" doc:"The account."`
		URL        string           `port:"url" doc:"Where to."`
	}
	type told struct {
		Text string `port:"text" doc:"All there is."`
	}
	call := node.Func("test.call", "Call", func(ctx context.Context, in callIn) (told, error) {
		u, err := url.Parse(in.URL)
		if err != nil {
			return told{}, err
		}
		z, err := nodeservice.Authorizer{Secrets: resolver, Networks: env.Networks}.Authorize(ctx, in.Credential, u)
		if err != nil {
			return told{}, err
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, in.URL, strings.NewReader("hello"))
		if err != nil {
			return told{}, err
		}
		answer, err := z.Client(env.HTTP).Do(r)
		if err != nil {
			return told{}, err
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		return told{string(body) + answer.Request.URL.String() + answer.Header.Get("X-Echo")}, err
	})
	type leakIn struct {
		Credential value.Credential `port:"credential" doc:"The account."`
	}
	leak := node.Func("test.leak", "Leak", func(ctx context.Context, in leakIn) (told, error) {
		c, err := resolver.Resolve(ctx, in.Credential)
		if err != nil {
			return told{}, err
		}
		if strings.HasSuffix(string(in.Credential), "-fails") {
			return told{}, node.Errorf(node.CodeFailed, "it was %s", c.Access.Reveal())
		}
		return told{"it is " + c.Access.Reveal()}, nil
	})
	return []node.Plugin{node.Bundle{Name: "test", Nodes: []node.Node{call, leak}}}
}

// TestKindsStaySecret stores a credential of each kind and uses it against an API that echoes
// requests. It searches everything that the service sends or stores for the secrets.
func TestKindsStaySecret(t *testing.T) {
	const canary = "canary+5f2e/9a71\"c3"
	fail := false
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := r.Header.Get("Authorization") + r.Header.Get("X-Key") + r.URL.RawQuery
		w.Header().Set("X-Echo", got)
		switch {
		case r.URL.Path == "/token" && !fail:
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(map[string]any{"access_token": canary + "token", "token_type": "Bearer"})
			return
		case fail:
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = io.WriteString(w, got+base64.StdEncoding.EncodeToString([]byte(got)))
	}))
	defer echo.Close()
	quoted, err := json.Marshal(canary)
	require.NoError(t, err)
	hosts := `,"hosts":["` + echo.URL + `"]}`
	kinds := map[string]string{
		"bearer": `{"kind":"bearer","access_token":` + string(quoted) + hosts,
		"basic":  `{"kind":"basic","username":"ann","password":` + string(quoted) + hosts,
		"header": `{"kind":"header","name":"X-Key","value":` + string(quoted) + hosts,
		"query":  `{"kind":"query","name":"key","value":` + string(quoted) + hosts,
		"oauth2": `{"kind":"oauth2","access_token":` + string(quoted) + `,"refresh_token":` + string(quoted) + hosts,
		"client": `{"kind":"client_credentials","token_url":"` + echo.URL + `/token","client_id":"me","client_secret":` + string(quoted) + hosts,
		"hmac":   `{"kind":"hmac","secret":` + string(quoted) + `}`,
		"dsn":    `{"kind":"dsn","dsn":` + string(quoted) + `}`,
		"pw":     `{"kind":"password","password":` + string(quoted) + `}`,
	}
	var log bytes.Buffer
	data := t.TempDir()
	s := newService(t, func(c *httpapi.Config) {
		c.DataDir, c.EnvPlugins, c.HTTPAllow = data, canaryNodes, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		c.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		c.Getenv = environment(map[string]string{"SVC_VAR_KEY": canary})
	})
	var said strings.Builder
	do := func(method, path, body string) { said.WriteString(s.do(method, path, body).Body.String()) }
	for name, text := range kinds {
		require.Equal(t, http.StatusNoContent, s.do("PUT", "/credentials/http:"+name, text).Code, name)
		do("POST", "/credentials/http:"+name+"/test", "")
		for _, failing := range []bool{false, true} {
			fail = failing
			for _, def := range []string{
				`{"id":"x","nodes":[{"id":"n","type":"test.call","config":{"credential":"http:` + name + `","url":"` + echo.URL + `/x?a=1"}}`,
				`{"id":"x","nodes":[{"id":"n","type":"test.call","config":{"credential":"http:` + name + `","url":"https://elsewhere.example/"}}`,
				`{"id":"x","nodes":[{"id":"n","type":"test.leak","config":{"credential":"http:` + name + `"}}`,
				`{"id":"x","nodes":[{"id":"n","type":"io.env_read","config":{"name":"SVC_VAR_KEY","secret":true}}`,
			} {
				out := "text"
				if strings.Contains(def, "env_read") {
					out = "value"
				}
				def += `,{"id":"o","type":"io.output","config":{"name":"e"}}],"connections":[{"fromNodeId":"n","fromPort":"` + out + `","toNodeId":"o","toPort":"value"}]}`
				do("POST", "/execute?full=true", def)
				id := requireJSON(t, s.do("POST", "/executions", def), http.StatusAccepted).(map[string]any)["runId"].(string)
				require.Eventually(t, func() bool {
					return !strings.Contains(s.do("GET", "/executions/"+id, "").Body.String(), `"running"`)
				}, time.Minute, 5*time.Millisecond)
				do("GET", "/executions/"+id+"?full=true", "")
				do("GET", "/executions/"+id+"/events", "")
			}
		}
		do("GET", "/credentials", "")
	}
	require.Contains(t, said.String(), "[redacted]", "the secrets were used")
	do("GET", "/metrics", "")
	said.WriteString(log.String())
	require.NoError(t, filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == "credentials.env" {
			return err
		}
		kept, err := os.ReadFile(path)
		said.Write(kept)
		return err
	}))
	for _, form := range []string{
		canary, url.QueryEscape(canary), url.PathEscape(canary), string(quoted[1 : len(quoted)-1]),
		base64.StdEncoding.EncodeToString([]byte(canary))[:20], base64.StdEncoding.EncodeToString([]byte("ann:" + canary)),
	} {
		at := strings.Index(said.String(), form)
		require.Negative(t, at, "%s: …%.300s", form, said.String()[max(0, at-150):])
	}
}

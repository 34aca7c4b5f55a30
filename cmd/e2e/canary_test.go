//go:build e2e && linux

package e2e_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// canary returns a unique secret that looks different in every encoding.
func canary(name string) string { return "canary+" + name + "/5f2e=9a71\"c3" }

// port is an input of a node type, as the API describes it.
type port struct {
	Name     string
	Type     string
	Required bool
	Networks []string
}

// TestCanaries gives each source of credentials a different secret, has every
// node that takes one use it against networks that echo requests, and looks for the secrets in
// all answers, logs and files of the server.
func TestCanaries(t *testing.T) {
	var used atomic.Int64
	_, upstream := listen(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		used.Add(1)
		echo(w, r, used.Load())
	})
	base := fmt.Sprintf("http://127.0.0.1:%d", upstream)
	data := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.Mkdir(data, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(data, "credentials.env"), []byte(
		"MICROBLOG_MAIN="+quoted(`{"access_token":`+strconv.Quote(canary("file"))+`,"refresh_token":`+strconv.Quote(canary("refresh"))+"}")+"\n"+
			"EMAIL_MAIN="+quoted(canary("email"))+"\nWEBHOOK_MAIN="+quoted(canary("webhook"))+"\n"), 0o600))
	b := launch(t, start{
		data: data, args: []string{"--http-allow", "127.0.0.0/8", "--log-level", "debug", "--public-url", "http://svc.example"},
		env: []string{
			"PRONET_MAIN=" + canary("environment"), "PRONET_CLIENT_ID=id", "PRONET_CLIENT_SECRET=" + canary("client"),
			"PRONET_AUTH_URL=" + base + "/authorize", "PRONET_TOKEN_URL=" + base + "/token", "PRONET_API_URL=" + base,
			"MEDIA_AI_URL=" + base, "SVC_CRED_MEDIAAI_MAIN=" + canary("media"),
			"MICROBLOG_CLIENT_ID=id", "MICROBLOG_CLIENT_SECRET=" + canary("client"),
			"MICROBLOG_AUTH_URL=" + base + "/authorize", "MICROBLOG_TOKEN_URL=" + base + "/token", "MICROBLOG_API_URL=" + base,
		},
	})
	said := setKinds(t, b, base) + useCredentials(t, b, base)
	require.Greater(t, used.Load(), int64(20), "the secrets were used")
	for _, path := range []string{"/executions?limit=500", "/credentials", "/metrics", "/nodes", "/openapi.json", "/readyz", "/workflows"} {
		said += string(b.do(http.StatusOK, "GET", path, "").body)
	}
	for _, path := range []string{"/auth/pronet/callback?state=x&code=" + url.QueryEscape(canary("code")), "/auth/pronet/logins/x"} {
		r, err := b.try("GET", path, "")
		require.NoError(t, err)
		said += string(r.body)
	}
	b.stop()
	said += b.logged() + kept(t, data, "credentials.env")
	for _, name := range []string{"file", "refresh", "email", "webhook", "environment", "client", "code", "kind", "media"} {
		for _, form := range forms(canary(name)) {
			at := strings.Index(said, form)
			require.Negative(t, at, "%s: …%.300s", name, said[max(0, at-150):])
		}
	}
}

// setKinds stores and tests a credential of each kind, and returns all answers of the server.
// Nodes send http:main with requests.
func setKinds(t *testing.T, b *binary, base string) (said string) {
	t.Helper()
	secret, _ := json.Marshal(canary("kind"))
	hosts := `,"hosts":["` + base + `"]}`
	for account, text := range map[string]string{
		"main":   `{"kind":"bearer","access_token":` + string(secret) + hosts,
		"basic":  `{"kind":"basic","username":"ann","password":` + string(secret) + hosts,
		"header": `{"kind":"header","name":"X-Key","value":` + string(secret) + hosts,
		"query":  `{"kind":"query","name":"key","value":` + string(secret) + hosts,
		"client": `{"kind":"client_credentials","token_url":"` + base + `/token","client_id":"me","client_secret":` + string(secret) + hosts,
		"hmac":   `{"kind":"hmac","secret":` + string(secret) + `}`,
		"dsn":    `{"kind":"dsn","dsn":` + string(secret) + `}`,
		"wrong":  `{"kind":"bearer","token":` + string(secret) + `}`,
	} {
		for _, r := range [][3]string{{"PUT", "", text}, {"POST", "/test", ""}} {
			answer, err := b.try(r[0], "/credentials/http:"+account+r[1], r[2])
			require.NoError(t, err)
			said += string(answer.body)
		}
	}
	return said
}

// quoted quotes a value for the environment file.
func quoted(text string) string { return "'" + text + "'" }

// echo answers as an upstream that repeats the request in different ways.
func echo(w http.ResponseWriter, r *http.Request, n int64) {
	secret := r.Header.Get("Authorization") + r.Header.Get("X-Svc-Signature")
	token := strings.TrimPrefix(secret, "Bearer ")
	text, _ := json.Marshal(map[string]any{
		"id": token, "title": token, "detail": "bad token " + token, "message": base64.StdEncoding.EncodeToString([]byte(token)),
		"data": map[string]any{"id": "1", "name": token, "username": url.QueryEscape(token)}, "elements": []any{map[string]any{"id": token}},
	})
	switch n % 6 {
	case 0:
		w.Header().Set("Location", "http://127.0.0.1:1/?token="+url.QueryEscape(token))
		w.WriteHeader(http.StatusFound)
	case 1:
		w.WriteHeader(http.StatusForbidden)
	case 2:
		w.WriteHeader(http.StatusUnauthorized)
	case 3:
		w.WriteHeader(http.StatusBadRequest)
	case 4:
		w.Header().Set("Content-Type", "text/html")
		text = []byte("<html>" + token)
	}
	_, _ = w.Write(text)
}

// useCredentials runs every node that takes a credential a few times, synchronously and
// asynchronously, and returns all answers of the server.
func useCredentials(t *testing.T, b *binary, base string) (said string) {
	t.Helper()
	var types []struct {
		Type   string
		Inputs []port
	}
	require.NoError(t, json.Unmarshal(b.do(http.StatusOK, "GET", "/nodes", "").body, &types))
	found := 0
	for _, typ := range types {
		config := map[string]any{}
		for _, p := range typ.Inputs {
			switch {
			case p.Type == "credential" && (len(p.Networks) == 0 || slices.Contains(p.Networks, "http")):
				config[p.Name] = "http:main"
			case len(p.Networks) > 0:
				config[p.Name] = p.Networks[0] + ":main"
				found++
			case p.Required:
				config[p.Name] = sampleOf(p, base)
			}
		}
		if len(config) == 0 || !strings.Contains(fmt.Sprint(config), ":main") {
			continue
		}
		node, err := json.Marshal(map[string]any{"id": "n", "type": typ.Type, "config": config, "timeoutMs": 3000})
		require.NoError(t, err)
		body := `{"id":"x","nodes":[` + string(node) + `,{"id":"o","type":"io.output","config":{"name":"e"}}],` +
			`"connections":[{"fromNodeId":"n","fromPort":"$error","toNodeId":"o","toPort":"value"}]}`
		if strings.HasPrefix(typ.Type, "trigger.") { // nothing runs without a firing
			said += string(b.do(http.StatusUnprocessableEntity, "POST", "/execute?full=true", body).body)
			continue
		}
		for range 3 {
			said += string(b.do(http.StatusOK, "POST", "/execute?full=true", body).body)
		}
		runID := b.start(body)
		frames, _ := b.frames(runID)
		said += strings.Join(frames, "") + string(b.do(http.StatusOK, "GET", "/executions/"+runID+"?full=true", "").body)
	}
	require.Greater(t, found, 10, "nodes that take credentials")
	return said
}

// sampleOf returns a value that a port may take.
func sampleOf(p port, base string) any {
	switch {
	case p.Name == "url":
		return base + "/hook"
	case p.Type == "int":
		return 5
	case p.Name == "sql":
		return "select 1"
	case p.Name == "path":
		return "place/abcdefghijklmnopqrstuv"
	case p.Name == "fields":
		return []any{map[string]any{"name": "who"}}
	case strings.HasPrefix(p.Type, "media"):
		kind, _, _ := strings.Cut(strings.TrimPrefix(p.Type, "media("), "|")
		return map[string]any{"kind": strings.TrimSuffix(kind, ")"), "mime": "", "path": "none"}
	case strings.HasPrefix(p.Type, "list<record"):
		return []any{map[string]any{"a": 1}}
	case strings.HasPrefix(p.Type, "record"):
		return map[string]any{"a": 1}
	case strings.HasPrefix(p.Type, "list"):
		return []any{"someone@example.org"}
	case p.Name == "to":
		return "someone@example.org"
	case p.Name == "id":
		return "INBOX;1;1"
	}
	return "1234567890123456789"
}

// forms are the encodings in which a secret could be found.
func forms(secret string) []string {
	inJSON, _ := json.Marshal(secret)
	return []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), strings.Trim(string(inJSON), `"`), hex.EncodeToString([]byte(secret)),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
	}
}

// kept returns the content of all files below a directory, except the file for secrets.
func kept(t *testing.T, dir string, but ...string) (text string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || slices.Contains(but, d.Name()) {
			return err
		}
		content, err := os.ReadFile(path)
		text += string(content)
		return err
	}))
	return text
}

package ionode_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	ionode "github.com/svcflow/svc/nodes/io"
)

// into connects an output of node n to node out.
func into(port string) workflow.Connection {
	return workflow.Connection{FromNodeID: "n", FromPort: port, ToNodeID: "out", ToPort: "value"}
}

func reading(typ string, config record) []workflow.Node {
	return append(one(typ, config), workflow.Node{ID: "out", Type: "io.output", Config: record{"name": "out"}})
}

// The error of an answer that is not JSON names the request.
func TestAnswerThatIsNoJSON(t *testing.T) {
	for name, tt := range map[string]struct {
		status    int
		typ, text string
		says      string // "" if it does not fail
		want      any
	}{
		"HTML":              {200, "text/html; charset=utf-8", "<h1>\n Log in</h1>", "/v1: the answer was text/html, not JSON: text/html: <h1> Log in</h1>", nil},
		"broken":            {200, "application/json", `{"a":`, `/v1: the answer is said to be JSON and is not: application/json: {"a":`, nil},
		"other type":        {200, "text/plain", `{"a":1}`, "", record{"a": 1}},
		"nothing":           {204, "", "", "", nil},
		"refusal":           {404, "text/html", "<h1>no</h1>", "", nil},
		"refusal with JSON": {404, "application/problem+json", `{"title":"no"}`, "", record{"title": "no"}},
	} {
		t.Run(name, func(t *testing.T) {
			base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.typ)
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.text)
			})
			env := ionode.Env{HTTP: newClient(t)}
			result, _ := play(t, env, reading("io.http_request", record{"url": base + "/v1", "failOnStatus": false}), into("json"))
			if tt.says == "" {
				require.Nil(t, result.Nodes["n"].Error)
				require.Equal(t, tt.want, result.Nodes["n"].Outputs["json"])
				return
			}
			require.Equal(t, "bad_answer", result.Nodes["n"].Error.Code)
			require.Equal(t, "GET "+strings.TrimPrefix(base, "http://")+tt.says, result.Nodes["n"].Error.Message)
			result, _ = play(t, env, reading("io.http_request", record{"url": base + "/v1"}), into("body"))
			require.Nil(t, result.Nodes["n"].Error, "nobody reads JSON")
		})
	}
}

// Messages contain the host and the path of a URL, but no part that may be a key.
func TestMessagesHideKeys(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, "\x89PNG\x00")
	})
	at := strings.TrimPrefix(base, "http://")
	for path, want := range map[string]string{
		"/v1/items/7":               "/v1/items/7",
		"/v1/items?limit=10&page=2": "/v1/items?limit=…&page=…",
		"/services/T0000/B0000/XXXXXXXXXXXXXXXXXXXXXXX1":    "/services/T0000/B0000/…",
		"/bot123456:ABC-DEF1234ghIkl/sendMessage?chat_id=1": "/…/sendMessage?chat_id=…",
		"/a%20b":                          "/a%20b",
		"/" + strings.Repeat("a", 65):     "/…",
		strings.Repeat("/a", 20) + "/end": strings.Repeat("/a", 11) + "/…",
		"/?token":                         "/?…",
	} {
		h, _ := host(t, newClient(t))
		_, err := h.Exec("io.http_request", nil, record{"url": base + path, "failOnStatus": true})
		require.EqualError(t, err, "GET "+at+want+": the server answered 400 Bad Request: image/png, 5 bytes")
	}
}

// The next attempt waits as long as the server asks, unless the node is set to ignore that.
func TestRetryAfter(t *testing.T) {
	for name, tt := range map[string]struct {
		status  int
		after   string
		respect bool
		code    string
		calls   int
		least   time.Duration
	}{
		"429":                    {429, "1", true, "", 2, time.Second},
		"503":                    {503, "1", true, "", 2, time.Second},
		"500 does not count":     {500, "1", true, "", 2, 0},
		"not to be respected":    {429, "1", false, "", 2, 0},
		"longer than there is":   {429, "3600", true, node.CodeRateLimited, 1, 0},
		"longer, but no respect": {429, "3600", false, "", 2, 0},
	} {
		for typ, method := range map[string]string{"io.http_request": "GET", "io.webhook_post": "POST"} {
			t.Run(name+" "+typ, func(t *testing.T) {
				t.Parallel()
				var calls atomic.Int64
				base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
					if calls.Add(1) == 1 {
						w.Header().Set("Retry-After", tt.after)
						w.WriteHeader(tt.status)
					}
				})
				config := ask(typ, base)
				config["failOnStatus"], config["respectRetryAfter"] = true, tt.respect
				n := one(typ, config)
				n[0].Retry = &workflow.Retry{InitialMs: 1, MaxMs: 1}
				began := time.Now()
				result, _ := play(t, ionode.Env{HTTP: newClient(t)}, n)
				require.EqualValues(t, tt.calls, calls.Load())
				require.GreaterOrEqual(t, time.Since(began), tt.least)
				if tt.code != "" {
					require.Equal(t, tt.code, result.Nodes["n"].Error.Code)
					require.Equal(t, method+" "+strings.TrimPrefix(base, "http://")+": the server answered 429 Too Many Requests and asks to wait 1h0m0s", result.Nodes["n"].Error.Message)
				}
			})
		}
	}
}

// Every attempt has the same delivery id, and its own time.
func TestWebhookDelivery(t *testing.T) {
	key := []byte("0123456789abcdef01234567")
	for name, secret := range map[string]string{"plain": string(key), "standard": "whsec_" + base64.StdEncoding.EncodeToString(key)} {
		t.Run(name, func(t *testing.T) {
			ids := map[string]int{}
			base := serve(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				id, at := r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp")
				unix, _ := strconv.ParseInt(at, 10, 64)
				require.InDelta(t, time.Now().Unix(), unix, 60)
				mac := hmac.New(sha256.New, key)
				mac.Write([]byte(id + "." + at + "." + string(body)))
				require.Equal(t, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)), r.Header.Get("webhook-signature"))
				if ids[id]++; ids[id] < 2 {
					w.WriteHeader(http.StatusServiceUnavailable)
				}
			})
			registry, err := node.NewRegistry(ionode.Plugin(ionode.Env{HTTP: newClient(t), Credentials: keys{"webhook:shop": secret}}))
			require.NoError(t, err)
			n := one("io.webhook_post", record{"url": base, "payload": 1, "secret": "webhook:shop", "failOnStatus": true})
			n[0].Retry = &workflow.Retry{InitialMs: 1}
			plan, err := engine.Compile(t.Context(), &workflow.Definition{ID: "w", Nodes: n}, engine.Env{Registry: registry})
			require.NoError(t, err)
			for _, id := range []string{"run-1", "run-2"} {
				run, err := new(engine.Local).Run(t.Context(), plan, engine.Options{RunID: id})
				require.NoError(t, err)
				require.Equal(t, engine.StatusCompleted, run.Status())
				require.Equal(t, 2, ids[run.Result().Nodes["n"].Outputs["deliveryId"].(string)])
			}
			require.Len(t, ids, 2, "two runs are two deliveries")
		})
	}
}

// A missing file is a failure unless the workflow asks whether the file exists.
func TestMissingFile(t *testing.T) {
	for name, tt := range map[string]struct {
		way  any
		port string
		code string
	}{
		"nobody asks":          {nil, "content", "not_found"},
		"somebody asks":        {nil, "exists", ""},
		"asked, and to fail":   {"fail", "exists", "not_found"},
		"not asked, and to go": {"absent", "content", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, env := filesEnv(t)
			config := record{"path": "a/b"}
			if tt.way != nil {
				config["onMissing"] = tt.way
			}
			result, _ := play(t, env, reading("io.file_read", config), into(tt.port))
			if tt.code != "" {
				require.Equal(t, tt.code, result.Nodes["n"].Error.Code)
				require.Equal(t, "there is no file <a/b>", result.Nodes["n"].Error.Message)
				return
			}
			require.Equal(t, record{"encoding": "text", "exists": false, "bytes": 0}, result.Nodes["n"].Outputs)
			if tt.port == "content" {
				require.Equal(t, engine.StatusSkipped, result.Nodes["out"].Status)
			}
		})
	}
}

package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/httpapi/keys"
	"github.com/svcflow/svc/httpapi/keys/ring"
	"github.com/svcflow/svc/store/memstore"
)

// makeKey makes a named key and returns its secret.
func (s service) makeKey(body string) string {
	s.t.Helper()
	w := s.do("POST", "/keys", body)
	require.Equal(s.t, http.StatusCreated, w.Code, w.Body)
	var made keys.Made
	require.NoError(s.t, json.Unmarshal(w.Body.Bytes(), &made))
	require.True(s.t, strings.HasPrefix(made.Secret, "svc_"))
	require.GreaterOrEqual(s.t, len(made.Secret), 4+43, "32 random bytes")
	return made.Secret
}

// as sends a request with a key.
func (s service) as(key, method, target, body string) *httptest.ResponseRecorder {
	return s.do(method, target, body, "Authorization", "Bearer "+key)
}

// TestEveryRouteNeedsItsScope calls all routes with keys that have all scopes but the required one,
// and with keys that have only that one.
func TestEveryRouteNeedsItsScope(t *testing.T) {
	for _, prefix := range []string{"", "/flow"} {
		dir := t.TempDir()
		s := newService(t, func(c *httpapi.Config) { c.RoutePrefix, c.DataDir = prefix, dir })
		only, without := map[keys.Scope]string{}, map[keys.Scope]string{}
		for _, scope := range keys.All() {
			others := []keys.Scope{}
			for _, other := range keys.All() {
				if other != scope && other != keys.Admin {
					others = append(others, other)
				}
			}
			r := ring.Open(dir)
			made, err := r.Make(t.Context(), keys.Request{Name: "only-" + string(scope), Scopes: []keys.Scope{scope}})
			require.NoError(t, err)
			only[scope] = made.Secret
			made, err = r.Make(t.Context(), keys.Request{Name: "without-" + string(scope), Scopes: others})
			require.NoError(t, err)
			without[scope] = made.Secret
		}
		for _, route := range s.RouteTable() {
			if route.Scope == "" {
				require.Contains(t, []string{"GET /", "OPTIONS /", "GET /auth/{network}/callback"}, route.Method+" "+route.Path)
				continue
			}
			require.Contains(t, keys.All(), route.Scope)
			target := prefix + filled(route.Path)
			p := requireProblem(t, s.as(without[route.Scope], route.Method, target, ""), http.StatusForbidden, "forbidden")
			require.Contains(t, p.Detail, "needs a key with the scope "+string(route.Scope)+";", route.Path)
			for _, key := range []string{only[route.Scope], only[keys.Admin]} {
				w := s.as(key, route.Method, target, "")
				require.NotContains(t, []int{http.StatusUnauthorized, http.StatusForbidden}, w.Code, "%s %s", route.Method, route.Path)
			}
			require.Equal(t, http.StatusUnauthorized, s.as(without[route.Scope]+"x", route.Method, target, "").Code)
		}
		require.Equal(t, http.StatusNotFound, s.as(only[keys.Read], "GET", prefix+"/nothing", "").Code)
	}
}

func TestNamedKeys(t *testing.T) {
	dir := t.TempDir()
	s := keyed(t, dir)
	require.Equal(t, "[]\n", s.do("GET", "/keys", "").Body.String())
	key := s.makeKey(`{"name":"ci","scopes":["run","read","read"],"budget":{"runs":2}}`)
	requireProblem(t, s.do("POST", "/keys", `{"name":"ci","scopes":["read"]}`), http.StatusConflict, "key_exists")
	require.Equal(t, http.StatusOK, s.as(key, "POST", "/validate", greet).Code)

	var list []keys.Key
	require.NoError(t, json.Unmarshal(s.do("GET", "/keys", "").Body.Bytes(), &list))
	require.Len(t, list, 1)
	require.Equal(t, []keys.Scope{"read", "run"}, list[0].Scopes)
	require.Equal(t, 2, list[0].Budget.Runs)
	require.WithinDuration(t, time.Now(), list[0].LastUsedAt, 2*time.Minute)
	require.Positive(t, list[0].BytesToday)

	// The secret is in no file, and only the owner can read the files.
	for _, name := range []string{"keys.json", "keys.json.lock"} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077)
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.NotContains(t, string(text), key[4:])
	}

	// The next server on the directory knows the key and its last use.
	require.NoError(t, s.Close(t.Context()))
	s = keyed(t, dir)
	require.Equal(t, http.StatusOK, s.as(key, "GET", "/nodes", "").Code)
	other := keyed(t, dir) // so does a server that runs at the same time
	require.Equal(t, http.StatusOK, other.as(key, "GET", "/nodes", "").Code)
	require.Equal(t, http.StatusNoContent, s.do("DELETE", "/keys/ci", "").Code)
	require.Equal(t, http.StatusUnauthorized, s.as(key, "GET", "/nodes", "").Code)
	require.Equal(t, http.StatusUnauthorized, other.as(key, "GET", "/nodes", "").Code, "at once, everywhere")
	requireProblem(t, s.do("DELETE", "/keys/ci", ""), http.StatusNotFound, "not_found")
	require.NotEqual(t, key, s.makeKey(`{"name":"ci","scopes":["read"]}`))
	require.Equal(t, http.StatusUnauthorized, s.as(key, "GET", "/nodes", "").Code, "a name is no key")
}

// keyed returns a service on a data directory that other services may use.
func keyed(t *testing.T, dir string) service {
	return newService(t, func(c *httpapi.Config) { c.DataDir, c.Runs = dir, &memstore.Runs{} })
}

func TestKeysThatCannotBeMade(t *testing.T) {
	s := newService(t, nil)
	for body, want := range map[string]string{
		`{"name":"Main","scopes":["read"]}`:                              "lower-case",
		`{"name":"../x","scopes":["read"]}`:                              "lower-case",
		`{"name":"main","scopes":["read"]}`:                              "choose another name",
		`{"name":"anonymous","scopes":["read"]}`:                         "choose another name",
		`{"name":"a","scopes":[]}`:                                       "at least one scope",
		`{"name":"a","scopes":["root"]}`:                                 `no scope "root"`,
		`{"name":"a"}`:                                                   "scopes",
		`{"name":"a","scopes":["read"],"budget":{"runs":-1}}`:            "",
		`{"name":"a","scopes":["read"],"budget":{"requests":1}}`:         "requests",
		`{"name":"a","scopes":["read"],"key":"svc_of-my-own-choosing1"}`: "key",
	} {
		p := requireProblem(t, s.do("POST", "/keys", body), http.StatusBadRequest, "malformed")
		require.Contains(t, p.Detail, want, body)
	}
}

// TestDamagedKeys checks that with damaged keys, only the main key is accepted.
func TestDamagedKeys(t *testing.T) {
	dir := t.TempDir()
	s := keyed(t, dir)
	key := s.makeKey(`{"name":"ci","scopes":["admin"]}`)
	path := filepath.Join(dir, "keys.json")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, text := range []string{"{", `{"keys":[{"name":"ci","scopes":["admin"],"digest":"00"}]}`, `{"keys":[{"name":"ci","scopes":["admin"]}]}`} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		p := requireProblem(t, s.as(key, "GET", "/nodes", ""), http.StatusServiceUnavailable, "unavailable")
		require.NotContains(t, p.Detail, dir)
		require.Equal(t, http.StatusOK, s.do("GET", "/nodes", "").Code)
		require.Equal(t, http.StatusUnauthorized, s.as("nothing", "GET", "/nodes", "").Code)
	}
	require.NoError(t, os.WriteFile(path, whole, 0o600))
	require.Equal(t, http.StatusOK, s.as(key, "GET", "/nodes", "").Code)
	require.NoError(t, os.Remove(path))
	require.Equal(t, http.StatusUnauthorized, s.as(key, "GET", "/nodes", "").Code)
}

// TestBudgets uses fake time, since budgets refill with time.
func TestBudgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, nil)
		spent := func(w *httptest.ResponseRecorder, what string) string {
			after := w.Header().Get("Retry-After")
			require.Regexp(t, `^[1-9]\d*$`, after)
			p := requireProblem(t, w, http.StatusTooManyRequests, "budget_exceeded")
			require.Contains(t, p.Detail, what)
			return after
		}
		key := s.makeKey(`{"name":"requests","scopes":["read"],"budget":{"requestsPerMinute":3}}`)
		for range 3 {
			require.Equal(t, http.StatusOK, s.as(key, "GET", "/workflows", "").Code)
		}
		require.Equal(t, "20", spent(s.as(key, "GET", "/workflows", ""), "3 requests a minute"))
		require.Equal(t, http.StatusCreated, s.do("POST", "/keys", `{"name":"x","scopes":["read"]}`).Code, "nobody else notices")
		spent(s.as(key, "GET", "/workflows", ""), "3 requests a minute") // the count survives a change of the file

		key = s.makeKey(`{"name":"bytes","scopes":["read"],"budget":{"bytesPerDay":3000}}`)
		spent(s.as(key, "POST", "/validate", strings.Repeat(" ", 3000)+greet), "3000 bytes a day")
		require.Equal(t, http.StatusOK, s.as(key, "POST", "/validate", greet).Code)
		require.Equal(t, http.StatusOK, s.as(key, "GET", "/nodes", "").Code, "which is longer")
		spent(s.as(key, "GET", "/workflows", ""), "3000 bytes a day")
	})
}

func TestBudgetOfRuns(t *testing.T) {
	var open func()
	s := newService(t, func(c *httpapi.Config) { open = gate(c) })
	key := s.makeKey(`{"name":"runs","scopes":["read","run","execute"],"budget":{"runs":1}}`)
	require.Equal(t, http.StatusOK, s.as(key, "POST", "/validate", greet).Code)
	require.Equal(t, http.StatusOK, s.as(key, "POST", "/validate", greet).Code, "the place is free again")
	require.Equal(t, http.StatusUnprocessableEntity, s.as(key, "POST", "/executions", alone("no.such")).Code)
	runID := requireJSON(t, s.as(key, "POST", "/executions", alone("test.wait")), http.StatusAccepted).(map[string]any)["runId"].(string)
	for _, target := range []string{"/execute", "/executions"} {
		p := requireProblem(t, s.as(key, "POST", target, greet), http.StatusTooManyRequests, "budget_exceeded")
		require.Contains(t, p.Detail, "1 runs at once")
	}
	require.Equal(t, http.StatusOK, s.do("POST", "/execute", greet).Code, "others run")
	open()
	s.events(runID)
	require.Eventually(t, func() bool { return s.as(key, "POST", "/validate", greet).Code == http.StatusOK }, time.Minute, time.Millisecond)
}

// TestBudgetOfRunsCountsARepeatedStartOnce repeats a start. The answer names the existing run,
// which has a slot, and the slot taken for the repeated request is freed once.
func TestBudgetOfRunsCountsARepeatedStartOnce(t *testing.T) {
	var open func()
	s := newService(t, func(c *httpapi.Config) { open = gate(c) })
	key := s.makeKey(`{"name":"runs","scopes":["read","run","execute"],"budget":{"runs":2}}`)
	start := func(id string) *httptest.ResponseRecorder {
		return s.do("POST", "/executions", alone("test.wait"), "Authorization", "Bearer "+key, "Idempotency-Key", id)
	}
	first := requireJSON(t, start("first"), http.StatusAccepted)
	for range 5 {
		require.Equal(t, first, requireJSON(t, start("first"), http.StatusAccepted))
	}
	second := requireJSON(t, start("second"), http.StatusAccepted).(map[string]any)["runId"].(string)
	for _, id := range []string{"third", "fourth", "first"} {
		requireProblem(t, start(id), http.StatusTooManyRequests, "budget_exceeded")
	}
	open()
	s.events(second)
	require.Eventually(t, func() bool { return start("fifth").Code == http.StatusAccepted }, time.Minute, time.Millisecond)
}

func TestPlacesEndWithTheService(t *testing.T) {
	s := newService(t, func(c *httpapi.Config) { gate(c) })
	key := s.makeKey(`{"name":"runs","scopes":["run","execute"],"budget":{"runs":3}}`)
	require.Equal(t, http.StatusAccepted, s.as(key, "POST", "/executions", alone("test.wait")).Code)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	require.NoError(t, s.Close(ctx))
}

package server_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openbao/openbao/api/v2"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/server"
)

// fakeVault answers the requests that the source makes as a vault does, and no
// others. It is a double: what real vaults do is tested by TestRealVault.
type fakeVault struct {
	mu     sync.Mutex
	engine string                    // options.version of the engine at secret/
	tokens map[string]bool           // valid tokens
	logins int                       // number of logins
	held   map[string][]*fakeVersion // by path
	writes int
	answer http.HandlerFunc // replaces the normal handler if not nil
	lose   int              // number of writes whose answer will be lost
}

type fakeVersion struct {
	data map[string]any // nil once destroyed
}

func newFakeVault() *fakeVault {
	return &fakeVault{engine: "2", tokens: map[string]bool{"root": true}, held: map[string][]*fakeVersion{}}
}

const fakeRole, fakeSecretID = "canary-role", "canary-secret-id"

// ServeHTTP implements [http.Handler].
func (f *fakeVault) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.answer != nil {
		f.answer(w, r)
		return
	}
	path := strings.TrimPrefix(r.URL.Path, "/v1/")
	if path == "auth/approle/login" {
		f.login(w, r)
		return
	}
	if !f.tokens[r.Header.Get("X-Vault-Token")] {
		refuse(w, http.StatusForbidden, "permission denied")
		return
	}
	kind, place, _ := strings.Cut(strings.TrimPrefix(path, "secret/"), "/")
	switch {
	case strings.HasPrefix(path, "sys/internal/ui/mounts/secret/"):
		reply(w, http.StatusOK, map[string]any{"path": "secret/", "type": "kv", "options": map[string]any{"version": f.engine}})
	case kind == "data" && r.Method == http.MethodGet:
		f.read(w, place)
	case kind == "data":
		f.write(w, r, place)
	case kind == "metadata" && r.URL.Query().Get("list") == "true":
		f.list(w, place)
	case kind == "metadata":
		f.metadata(w, place)
	case kind == "destroy":
		f.destroy(w, r, place)
	default:
		refuse(w, http.StatusNotFound)
	}
}

func reply(w http.ResponseWriter, status int, data map[string]any) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
}

func refuse(w http.ResponseWriter, status int, texts ...string) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"errors": slices.Concat([]string{}, texts)})
}

func (f *fakeVault) login(w http.ResponseWriter, r *http.Request) {
	var sent struct {
		Role     string `json:"role_id"`
		SecretID string `json:"secret_id"`
	}
	_ = json.NewDecoder(r.Body).Decode(&sent)
	if sent.Role != fakeRole || sent.SecretID != fakeSecretID {
		refuse(w, http.StatusBadRequest, "invalid role or secret ID")
		return
	}
	f.logins++
	token := fmt.Sprint("canary-token-", f.logins)
	f.tokens[token] = true
	_ = json.NewEncoder(w).Encode(map[string]any{"auth": map[string]any{"client_token": token, "lease_duration": 3600}})
}

func versionMetadata(versions []*fakeVersion) map[string]any {
	return map[string]any{
		"version": len(versions), "created_time": "2026-01-02T03:04:05.6Z", "deletion_time": "",
		"destroyed": versions[len(versions)-1].data == nil,
	}
}

func (f *fakeVault) read(w http.ResponseWriter, place string) {
	versions := f.held[place]
	if len(versions) == 0 {
		refuse(w, http.StatusNotFound)
		return
	}
	newest, status := versions[len(versions)-1], http.StatusOK
	if newest.data == nil {
		status = http.StatusNotFound
	}
	reply(w, status, map[string]any{"data": newest.data, "metadata": versionMetadata(versions)})
}

func (f *fakeVault) write(w http.ResponseWriter, r *http.Request, place string) {
	var sent struct {
		Data    map[string]any
		Options struct{ CAS *int }
	}
	_ = json.NewDecoder(r.Body).Decode(&sent)
	if sent.Options.CAS == nil {
		refuse(w, http.StatusBadRequest, "check-and-set parameter required for this call")
		return
	}
	if *sent.Options.CAS != len(f.held[place]) {
		refuse(w, http.StatusBadRequest, "check-and-set parameter did not match the current version")
		return
	}
	f.writes++
	f.held[place] = append(f.held[place], &fakeVersion{sent.Data})
	if f.lose > 0 {
		f.lose--
		panic(http.ErrAbortHandler)
	}
	reply(w, http.StatusOK, versionMetadata(f.held[place]))
}

func (f *fakeVault) list(w http.ResponseWriter, folder string) {
	names := map[string]bool{}
	for place := range f.held {
		if rest, ok := strings.CutPrefix(place, strings.TrimSuffix(folder, "/")+"/"); ok {
			name, _, isFolder := strings.Cut(rest, "/")
			if isFolder {
				name += "/"
			}
			names[name] = true
		}
	}
	if len(names) == 0 {
		refuse(w, http.StatusNotFound)
		return
	}
	var keys []string
	for name := range names {
		keys = append(keys, name)
	}
	reply(w, http.StatusOK, map[string]any{"keys": keys})
}

func (f *fakeVault) metadata(w http.ResponseWriter, place string) {
	versions := map[string]any{}
	for i := range f.held[place] {
		versions[strconv.Itoa(i+1)] = map[string]any{"created_time": "2026-01-02T03:04:05.6Z", "deletion_time": "", "destroyed": false}
	}
	reply(w, http.StatusOK, map[string]any{"current_version": len(versions), "versions": versions})
}

func (f *fakeVault) destroy(w http.ResponseWriter, r *http.Request, place string) {
	var sent struct{ Versions []int }
	_ = json.NewDecoder(r.Body).Decode(&sent)
	for _, n := range sent.Versions {
		f.held[place][n-1].data = nil
	}
	w.WriteHeader(http.StatusNoContent)
}

// set changes the vault while it handles no request.
func (f *fakeVault) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// inMemory connects a client to a handler without a network, for use in a synctest bubble.
type inMemory struct{ handler http.Handler }

// RoundTrip implements [http.RoundTripper].
func (m inMemory) RoundTrip(r *http.Request) (response *http.Response, err error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	defer func() {
		if recover() != nil { // as a server does after a panic in a handler
			err = errors.New("the connection broke")
		}
	}()
	w := httptest.NewRecorder()
	m.handler.ServeHTTP(w, r)
	response = w.Result()
	response.Request = r
	return response, nil
}

func vaultClient(t *testing.T, address string, transport http.RoundTripper) *api.Client {
	t.Helper()
	config := api.NewConfig()
	config.Address, config.MaxRetries, config.Timeout = address, 1, 5*time.Second
	config.MinRetryWait, config.MaxRetryWait = time.Millisecond, time.Millisecond
	if transport != nil {
		config.HttpClient.Transport = transport
	}
	client, err := api.NewClient(config)
	require.NoError(t, err)
	return client
}

func always(text string) server.SecretFunc {
	return func() (credentials.Secret, error) { return credentials.NewSecret(text), nil }
}

// over returns a source that uses f through HTTP.
func over(t *testing.T, f *fakeVault, login api.AuthMethod) *server.Vault {
	t.Helper()
	web := httptest.NewServer(f)
	t.Cleanup(web.Close)
	return server.NewVault(vaultClient(t, web.URL, nil), "secret/svc", login, nil)
}

package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi/keys"
)

// send sends a request with an API key to an instance.
func (m *members) send(p *member, key, method, path, body string, headers ...string) (status int, text string) {
	m.t.Helper()
	request, err := http.NewRequestWithContext(m.t.Context(), method, p.url+path, strings.NewReader(body))
	require.NoError(m.t, err)
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer, err := (&http.Client{Timeout: time.Minute}).Do(request)
	require.NoError(m.t, err)
	defer answer.Body.Close()
	all, err := io.ReadAll(answer.Body)
	require.NoError(m.t, err)
	return answer.StatusCode, string(all)
}

// TestKeysOfMembers uses keys made at one instance at all of them, within one budget.
func TestKeysOfMembers(t *testing.T) {
	t.Parallel()
	m := newMembers(t)
	one, other := m.instance("--runs", "2"), m.instance("--runs", "2")
	make := func(name string, b keys.Budget) (secret string) {
		made, err := m.at(one).MakeKey(t.Context(), keys.Request{Name: name, Scopes: []keys.Scope{keys.Read, keys.Run, keys.Execute}, Budget: b})
		require.NoError(t, err)
		m.until(time.Minute, "the other instance knows the key "+name, func() bool {
			status, _ := m.send(other, made.Secret, http.MethodGet, "/workflows", "")
			return status == http.StatusOK
		})
		return made.Secret
	}

	secret := make("revoked", keys.Budget{})
	require.NoError(t, m.at(other).RevokeKey(t.Context(), "revoked"))
	status, _ := m.send(other, secret, http.MethodGet, "/workflows", "")
	require.Equal(t, http.StatusUnauthorized, status, "at once where it is revoked")
	m.until(time.Minute, "the key is revoked everywhere", func() bool {
		status, _ = m.send(one, secret, http.MethodGet, "/workflows", "")
		return status == http.StatusUnauthorized
	})

	secret = make("requests", keys.Budget{RequestsPerMinute: 60})
	began := time.Now()
	answered := m.spend(secret, 60, one, other)
	most := 60 + int(time.Since(began)/time.Second) + 2
	require.GreaterOrEqual(t, answered, 50, "but for what told that the key is known")
	require.LessOrEqual(t, answered, most, "both instances together")

	secret = make("runs", keys.Budget{Runs: 1})
	const long = `{"id":"long","nodes":[{"id":"a","type":"control.delay","config":{"ms":600000}}],"connections":[]}`
	status, text := m.send(one, secret, http.MethodPost, "/executions", long)
	require.Equal(t, http.StatusAccepted, status, text)
	var begun struct{ RunID string }
	require.NoError(t, json.Unmarshal([]byte(text), &begun))
	const short = `{"id":"short","nodes":[{"id":"a","type":"control.delay","config":{"ms":1}}],"connections":[]}`
	status, text = m.send(other, secret, http.MethodPost, "/execute", short)
	require.Equal(t, http.StatusTooManyRequests, status, text)
	require.NoError(t, m.at(other).Cancel(t.Context(), begun.RunID))
	m.until(time.Minute, "the place is free", func() bool {
		status, _ = m.send(other, secret, http.MethodPost, "/execute", short)
		return status == http.StatusOK
	})
	for range 5 {
		status, text = m.send(one, secret, http.MethodPost, "/execute", short)
		require.Equal(t, http.StatusOK, status, text)
	}

	list, err := m.at(other).Keys(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 2)

	m.audited(one, other)
	secret = make("away", keys.Budget{})
	m.postgres.Down()
	m.until(time.Minute, "nobody knows whether the key is good", func() bool {
		status, _ = m.send(one, secret, http.MethodGet, "/nodes", "")
		require.Contains(t, []int{http.StatusOK, http.StatusServiceUnavailable}, status)
		return status != http.StatusOK
	})
	status, _ = m.send(one, apiKey, http.MethodGet, "/nodes", "")
	require.Equal(t, http.StatusOK, status, "the key of all needs no database")
	m.postgres.Up()
	m.until(time.Minute, "the key is good again", func() bool {
		status, _ = m.send(one, secret, http.MethodGet, "/nodes", "")
		return status == http.StatusOK
	})
}

// audited checks that changes at any instance are in one log.
func (m *members) audited(one, other *member) {
	m.t.Helper()
	require.Equal(m.t, http.StatusUnauthorized, first(m.send(other, "svc_of-nobody", http.MethodDelete, "/workflows/audited", "")))
	const short = `{"id":"audited","nodes":[],"connections":[]}`
	require.Equal(m.t, http.StatusCreated, first(m.send(one, apiKey, http.MethodPost, "/workflows", short)))
	require.Equal(m.t, http.StatusNoContent, first(m.send(other, apiKey, http.MethodDelete, "/workflows/audited", "")))
	text, err := exec.Command(m.program, "audit", "--postgres", m.database, "--last", "3").CombinedOutput()
	require.NoError(m.t, err, string(text))
	require.Regexp(m.t, `(?s)^[^\n]*"outcome":"refused"[^\n]*\n[^\n]*"does":"POST /workflows"[^\n]*\n[^\n]*"who":"main"[^\n]*"does":"DELETE /workflows/\{id\}","id":"audited","outcome":"done"[^\n]*\n$`, string(text))
	require.NoFileExists(m.t, filepath.Join(m.dir, "data", "audit.jsonl"))
}

func first(status int, _ string) int { return status }

// spend sends each requests to each instance concurrently, and returns how many succeeded.
func (m *members) spend(secret string, each int, instances ...*member) (answered int) {
	var mu sync.Mutex
	var sending sync.WaitGroup
	for _, p := range instances {
		for range each {
			sending.Go(func() {
				status, _ := m.send(p, secret, http.MethodGet, "/workflows", "")
				mu.Lock()
				defer mu.Unlock()
				if status == http.StatusOK {
					answered++
				}
			})
		}
	}
	sending.Wait()
	return answered
}

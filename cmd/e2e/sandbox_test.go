//go:build e2e && linux

package e2e_test

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// inside are ways to write addresses of this machine, of its network, and of
// services that hand out secrets to machines.
func inside() []string {
	return strings.Fields(`
		127.0.0.1 127.1 127.0.1 127.127.127.127 0.0.0.0 0 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 127.000.000.001
		①②⑦.⓪.⓪.① 127。0。0。1 １２７.0.0.1 localhost LOCALHOST localhost. ip6-localhost localhost.localdomain
		[::1] [0:0:0:0:0:0:0:1] [::] [::1%25lo] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [::ffff:0:127.0.0.1]
		[64:ff9b::7f00:1] [64:ff9b:1::127.0.0.1] [2002:7f00:1::1] [fe80::1] [fd00:ec2::254] [fc00::1]
		169.254.169.254 [::ffff:a9fe:a9fe] 2852039166 0xa9fea9fe 0251.0376.0251.0376 metadata.google.internal
		10.0.0.1 172.16.0.1 192.168.0.1 100.64.0.1 198.18.0.1 224.0.0.1 255.255.255.255
		public.example@127.0.0.1 public.example:80@[::1] 127.0.0.1%2f.example`)
}

// TestReachesNothingInside asks a server to fetch what is behind all these
// addresses, directly and by way of redirects from the one host that it may reach.
func TestReachesNothingInside(t *testing.T) {
	var reached atomic.Int64
	victim, port := listen(t, ":0", func(http.ResponseWriter, *http.Request) {})
	victim.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			reached.Add(1)
		}
	}
	const allowed = "127.0.0.77"
	_, redirects := listen(t, allowed+":0", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.URL.Query().Get("to"))
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	b := launch(t, start{args: []string{"--http-allow", allowed + "/32"}})
	require.GreaterOrEqual(t, len(inside()), 40)
	for _, host := range inside() {
		direct := fmt.Sprintf("http://%s:%d/latest/meta-data", host, port)
		redirected := fmt.Sprintf("http://%s:%d/?to=%s", allowed, redirects, url.QueryEscape(direct))
		for _, target := range []string{direct, redirected} {
			body := fmt.Sprintf(`{"id":"fetch","nodes":[{"id":"get","type":"io.http_request","timeoutMs":5000,"config":{"url":%q}}],"connections":[]}`, target)
			require.Equal(t, "failed", field(t, b.do(http.StatusOK, "POST", "/execute", body), "status"), target)
		}
	}
	require.Zero(t, reached.Load())
}

// listen serves an address of this machine.
func listen(t *testing.T, addr string, handler http.HandlerFunc) (*http.Server, int) {
	t.Helper()
	listener, err := net.Listen("tcp", addr)
	require.NoError(t, err)
	server := &http.Server{Handler: handler} // for this machine only
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	return server, listener.Addr().(*net.TCPAddr).Port
}

// TestKeepsSecrets gives a server secrets and looks for them in all it says
// and writes.
func TestKeepsSecrets(t *testing.T) {
	const canary = "canary+5f2e/9a71c3=8d04"
	var sent atomic.Int64
	_, port := listen(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Svc-Signature") != "" {
			sent.Add(1)
		}
		w.WriteHeader(http.StatusBadGateway)
	})
	b := launch(t, start{
		args: []string{"--http-allow", "127.0.0.0/8", "--log-level", "debug"},
		env:  []string{"SVC_API_KEY=" + binaryKey, "WEBHOOK_MAIN=" + canary, "DATABASE_URL=postgres://" + canary, "SVC_VAR_SHOWN=shown"},
	})
	said := ""
	for _, node := range []string{
		`{"id":"n","type":"io.env_read","config":{"name":"WEBHOOK_MAIN"}}`,
		`{"id":"n","type":"io.env_read","config":{"name":"DATABASE_URL"}}`,
		`{"id":"n","type":"io.env_read","config":{"name":"SVC_API_KEY"}}`,
		`{"id":"n","type":"io.env_read","config":{"name":"SVC_VAR_SHOWN"}}`,
		`{"id":"n","type":"io.file_read","config":{"path":"../../../../proc/self/environ"}}`,
		`{"id":"n","type":"io.file_read","config":{"path":"/proc/self/environ"}}`,
		fmt.Sprintf(`{"id":"n","type":"io.webhook_post","config":{"url":"http://127.0.0.1:%d/","payload":1,"secret":"webhook:main"}}`, port),
		`{"id":"n","type":"io.webhook_post","config":{"url":"http://127.0.0.1:1/","payload":1,"secret":"webhook:main"}}`,
	} {
		body := `{"id":"x","nodes":[` + node + `],"connections":[]}`
		said += string(b.do(http.StatusOK, "POST", "/execute?full=true", body).body)
		runID := b.start(body)
		frames, _ := b.frames(runID)
		said += strings.Join(frames, "") + string(b.do(http.StatusOK, "GET", "/executions/"+runID+"?full=true", "").body)
	}
	require.Contains(t, said, "shown")
	require.Positive(t, sent.Load(), "the secret was used")
	b.do(http.StatusUnauthorized, "GET", "/nodes", "", "Authorization", "Bearer "+canary)
	b.stop()

	said += b.logged() + kept(t, b.data)
	for _, secret := range []string{canary, binaryKey} {
		for _, form := range forms(secret) {
			require.NotContains(t, said, form)
		}
	}
}

//go:build e2e && linux

package e2e_test

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/internal/docstest"
)

// proxied is a server behind nginx, set up as the page for operators shows.
func proxied(t *testing.T) (*binary, string) {
	t.Helper()
	address := freeAddress(t)
	public := "https://" + address
	b := launch(t, start{args: []string{"--public-url", public, "--http-allow", "127.0.0.0/8"}, env: []string{"WEBHOOK_SHOP=" + hookSecret}})

	dir := t.TempDir()
	require.NoError(t, exec.Command("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
		"-subj", "/CN=svc.example.org", "-keyout", filepath.Join(dir, "privkey.pem"), "-out", filepath.Join(dir, "fullchain.pem")).Run())
	nginx(t, dir, address, b.url)
	transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	t.Cleanup(transport.CloseIdleConnections)
	b.local = b.url
	b.client, b.url = &http.Client{Transport: transport}, public
	require.Eventually(t, func() bool {
		r, err := b.try("GET", "/", "")
		return err == nil && r.status == http.StatusOK
	}, time.Minute, 10*time.Millisecond)
	return b, public
}

// freeAddress returns an address of this machine at which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	probe, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, probe.Close())
	return probe.Addr().String()
}

// nginx passes requests at an address to a server, with the certificate in dir.
func nginx(t *testing.T, dir, address, upstream string) {
	t.Helper()
	page := docstest.Find(t, "docs/operate.md", "nginx", "proxy_pass")
	for from, to := range map[string]string{
		"listen 443 ":                            "listen " + address + " ",
		"http://127.0.0.1:8080;":                 upstream + ";",
		"/etc/letsencrypt/live/svc.example.org/": dir + "/",
	} {
		require.Contains(t, page, from)
		page = strings.ReplaceAll(page, from, to)
	}
	nginxWith(t, dir, page)
}

// nginxWith starts nginx with the given servers in dir.
func nginxWith(t *testing.T, dir, servers string) {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("make e2e: needs nginx")
	}
	user := ""
	if os.Geteuid() == 0 {
		user = "user root;\n" // whose folder this is
	}
	conf := user + fmt.Sprintf("daemon off; pid %[1]s/pid; error_log stderr; events {}\nhttp { access_log off;\n"+
		"client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;\n%[2]s}\n", dir, servers)
	path := filepath.Join(dir, "nginx.conf")
	require.NoError(t, os.WriteFile(path, []byte(conf), 0o600))
	cmd := exec.Command(program, "-e", "stderr", "-p", dir, "-c", path)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
}

// TestBehindNginx uses a server through nginx, over TLS and HTTP/2.
func TestBehindNginx(t *testing.T) {
	b, public := proxied(t)
	const odd = "/workflows/a%2F%2e%2e%2Fb"
	body := strings.Replace(quick, `"id":"`, `"id":"a/../b","name":"`, 1)
	saved := b.do(http.StatusCreated, "POST", "/workflows", body, "Origin", public, "Sec-Fetch-Site", "same-origin")
	require.Equal(t, public+"/workflows/a%2F..%2Fb", saved.header.Get("Location"))
	require.Equal(t, http.StatusOK, b.do(http.StatusOK, "GET", odd, "").status, "ids stay escaped")
	b.do(http.StatusForbidden, "POST", "/validate", quick, "Origin", "https://evil.example")
	b.do(http.StatusOK, "POST", "/validate", quick, "Origin", public)
	require.Equal(t, "too_large", b.refuses(http.StatusRequestEntityTooLarge, "/execute", strings.Repeat(" ", 11<<20)), "said by the server, in JSON")

	// Events arrive while the run is unfinished.
	gate := newGate(t)
	const events = 10
	runID := b.start(gated(gate.URL, events))
	answer, err := b.client.Do(b.request(t.Context(), "GET", "/executions/"+runID+"/events", ""))
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, 2, answer.ProtoMajor)
	line, err := bufio.NewReader(answer.Body).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "id: 1\n", line)
	require.Equal(t, "running", b.status(runID))
	gate.open()
	rest, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Contains(t, string(rest), "event: completed\n")

	packed := b.do(http.StatusOK, "GET", "/nodes", "", "Accept-Encoding", "gzip")
	require.Equal(t, "gzip", packed.header.Get("Content-Encoding"))
	require.False(t, json.Valid(packed.body))
}

const hookSecret = "a secret of a hook"

// TestHookBehindNginx calls a signed hook through nginx, which must not change path and body, and
// through the nginx configuration of the manual that exposes hooks only.
func TestHookBehindNginx(t *testing.T) {
	b, public := proxied(t)
	b.do(http.StatusCreated, "POST", "/workflows", `{"id":"shop","nodes":[
	  {"id":"order","type":"trigger.webhook","config":{"path":"orders/{shop}","auth":"hmac","secret":"webhook:shop","respond":"result"}},
	  {"id":"out","type":"io.output","config":{"name":"shop"}}],
	 "connections":[{"fromNodeId":"order","fromPort":"params","toNodeId":"out","toPort":"value"}]}`)
	active := b.do(http.StatusOK, "POST", "/workflows/shop/activation", "")
	require.Contains(t, string(active.body), public+"/hooks/orders/")
	const body = "{\n  \"total\": 9.50 }"
	mac := hmac.New(sha256.New, []byte(hookSecret))
	mac.Write([]byte(body))
	call := func(url, path string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+path, strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Svc-Signature", "sha256="+hex.EncodeToString(mac.Sum(nil)))
		answer, err := b.client.Do(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return answer.StatusCode, string(text)
	}
	status, text := call(public, "/hooks/orders/a%2Fb")
	require.Equal(t, http.StatusOK, status, text)
	require.Contains(t, text, `"a/b"`)

	address := freeAddress(t)
	m := &machine{t: t}
	dir := t.TempDir()
	m.certify(dir)
	only := docstest.Find(t, "docs/triggers.md", "nginx", "location /hooks/")
	nginxWith(t, dir, "server {\n listen "+address+" ssl;\n ssl_certificate "+dir+"/fullchain.pem; ssl_certificate_key "+dir+"/privkey.pem;\n"+
		strings.ReplaceAll(only, "http://127.0.0.1:8080", strings.Replace(b.local, "localhost", "127.0.0.1", 1))+"}\n")
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", address)
		return err == nil && conn.Close() == nil
	}, time.Minute, 10*time.Millisecond)
	status, text = call("https://"+address, "/hooks/orders/tea")
	require.Equal(t, http.StatusOK, status, text)
	status, _ = call("https://"+address, "/workflows")
	require.Equal(t, http.StatusNotFound, status, "nginx has nothing there")
}

// TestUnitOfSystemd has systemd read the unit that the page for operators shows, and
// say how much it leaves open, from 0 to 10.
func TestUnitOfSystemd(t *testing.T) {
	tool, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("make e2e: needs systemd-analyze")
	}
	unit := docstest.Find(t, "docs/operate.md", "ini", "ExecStart")
	unit = strings.ReplaceAll(unit, "/usr/local/bin/svc", program(t))
	unit = strings.ReplaceAll(unit, "User=svc", "User=daemon")
	path := filepath.Join(t.TempDir(), "svc.service")
	require.NoError(t, os.WriteFile(path, []byte(unit), 0o600))
	out, err := exec.Command(tool, "verify", "--man=no", "--recursive-errors=no", path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Empty(t, string(out))
	out, err = exec.Command(tool, "security", "--offline=yes", "--threshold=20", "--no-pager", path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Log(regexp.MustCompile(`Overall exposure.*`).FindString(string(out)))
}

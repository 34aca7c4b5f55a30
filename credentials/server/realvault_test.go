//go:build vault

package server_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openbao/openbao/api/v2"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/credentialstest"
	"github.com/svcflow/svc/credentials/server"
)

// TestRealVault runs the source against a real vault, one test after the other.
func TestRealVault(t *testing.T) {
	v := startVault(t)
	require.NoError(t, v.root.Sys().EnableAuthWithOptions("approle", &api.EnableAuthOptions{Type: "approle"}))
	for _, test := range []struct {
		name string
		run  func(*testing.T, *realVault)
	}{
		{"conformance", testRealConformance},
		{"role", testRealRole},
		{"manual", testRealManual},
		{"mounts", testRealMounts},
		{"processes", testRealProcesses},
		{"sealed", testRealSealed},
		{"slow", testRealSlow},
		{"stopped", testRealStopped},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, v) })
	}
}

func testRealConformance(t *testing.T, v *realVault) {
	n := 0
	credentialstest.Run(t, func(t *testing.T, held credentialstest.Holding) credentials.Provider {
		n++
		p := open(t, config(t, v.variables("SVC_VAULT_PATH", fmt.Sprint("secret/conformance/", n))))
		fill(t, p, held)
		return p
	}, credentialstest.Options{})
}

// The policy in the manual is sufficient for all operations, and allows nothing else.
func testRealRole(t *testing.T, v *realVault) {
	vars := v.role(t, aboutVault(t, "hcl"), "2s")
	p := open(t, config(t, vars))
	credentialstest.Run(t, func(t *testing.T, held credentialstest.Holding) credentials.Provider {
		infos, err := p.List(t.Context())
		require.NoError(t, err)
		for _, info := range infos {
			require.NoError(t, p.Delete(t.Context(), info.Ref))
		}
		fill(t, p, held)
		return p
	}, credentialstest.Options{})

	fill(t, p, credentialstest.Holding{"pronet:main": secret("x")})
	<-time.After(3 * time.Second) // longer than the TTL of a token
	requireSecret(t, p, "pronet:main", "x")

	vars["SVC_VAULT_PATH"] = "secret/other"
	_, err := open(t, config(t, vars)).Credential(t.Context(), "pronet:main")
	requireUnavailable(t, err, "forbids it")
	delete(vars, "SVC_VAULT_PATH")
	vars["VAULT_SECRET_ID"] = "canary"
	_, err = open(t, config(t, vars)).Credential(t.Context(), "pronet:main")
	requireUnavailable(t, err, "refuses the login")

	short, err := v.root.Auth().Token().Create(&api.TokenCreateRequest{TTL: "1s", Policies: []string{"svc"}})
	require.NoError(t, err)
	p = open(t, config(t, v.variables("VAULT_TOKEN", short.Auth.ClientToken)))
	requireSecret(t, p, "pronet:main", "x")
	<-time.After(2 * time.Second)
	_, err = p.Credential(t.Context(), "pronet:main")
	requireUnavailable(t, err, "the token has expired")
}

// aboutVault returns the manual's code blocks of one kind that are about vaults.
func aboutVault(t *testing.T, kind string) (code string) {
	t.Helper()
	for _, block := range manual(t, kind) {
		if kind == "hcl" || strings.Contains(block, "vault ") {
			code += block
		}
	}
	require.NotEmpty(t, code)
	return code
}

// The commands in the manual work, and produce what the server reads.
func testRealManual(t *testing.T, v *realVault) {
	require.NoError(t, v.root.Sys().DisableAuth("approle"))
	dir := t.TempDir()
	require.NoError(t, os.Symlink(os.Getenv(vaultVariable), filepath.Join(dir, "vault")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "svc.hcl"), []byte(aboutVault(t, "hcl")), 0o600))
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", aboutVault(t, "sh"))
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "VAULT_ADDR="+v.address, "VAULT_TOKEN=root", "HOME="+dir)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))

	ids := regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`).FindAllString(string(out), 2)
	require.Len(t, ids, 2)
	p := open(t, config(t, map[string]string{"VAULT_ADDR": v.address, "VAULT_ROLE_ID": ids[0], "VAULT_SECRET_ID": ids[1]}))
	c, err := p.Credential(t.Context(), "pronet:main")
	require.NoError(t, err)
	require.Equal(t, "AQXdSP", c.Access.Reveal())
	require.Equal(t, "AQWaBc", c.Refresh.Reveal())
	require.Equal(t, time.Date(2026, 12, 31, 23, 59, 59, 0, time.UTC), c.ExpiresAt)
}

// Engines may be mounted at nested paths, require check-and-set, or have another version.
func testRealMounts(t *testing.T, v *realVault) {
	require.NoError(t, v.root.Sys().Mount("team/kv", &api.MountInput{Type: "kv", Options: map[string]string{"version": "2"}}))
	require.Eventually(t, func() bool { // the upgrade to version 2 takes a moment
		_, err := v.root.Logical().Write("team/kv/config", map[string]any{"cas_required": true})
		return err == nil
	}, time.Minute, 50*time.Millisecond)
	p := open(t, config(t, v.variables("SVC_VAULT_PATH", "team/kv/a/b")))
	for _, token := range []string{"1", "2"} {
		require.NoError(t, p.SetCredential(t.Context(), "pronet:main", secret(token)))
	}
	requireSecret(t, p, "pronet:main", "2")
	whole := open(t, config(t, v.variables("SVC_VAULT_PATH", "team/kv")))
	fill(t, whole, credentialstest.Holding{"pronet:b": secret("x")})
	infos, err := whole.List(t.Context())
	require.NoError(t, err)
	require.Equal(t, []credentials.Info{{Ref: "pronet:b", Source: "vault"}}, infos)

	require.NoError(t, v.root.Sys().Mount("old", &api.MountInput{Type: "kv", Options: map[string]string{"version": "1"}}))
	_, err = open(t, config(t, v.variables("SVC_VAULT_PATH", "old/svc"))).Credential(t.Context(), "pronet:main")
	requireUnavailable(t, err, "not a key-value engine of version 2")
	_, err = open(t, config(t, v.variables("SVC_VAULT_PATH", "none/svc"))).Credential(t.Context(), "pronet:main")
	requireUnavailable(t, err, "forbids it")
}

func testRealProcesses(t *testing.T, v *realVault) {
	vars := v.variables("SVC_VAULT_PATH", "secret/processes")
	p := open(t, config(t, vars))
	var more []string
	for name, value := range vars {
		more = append(more, name+"="+value)
	}
	more = append(more, "SVC_CREDENTIALS_FILE="+filepath.Join(t.TempDir(), "credentials.env"))
	requireCount(t, p, more...)
	took := requireRecovery(t, p, more...)
	t.Logf("the lease of a killed process was free after %s", took.Round(time.Second/10))
	require.Less(t, took, 30*time.Second)
}

func testRealSealed(t *testing.T, v *realVault) {
	vault := server.NewVault(vaultClient(t, v.address, nil), "secret/svc", server.Token(always("root")), nil)
	fill(t, vault, credentialstest.Holding{"pronet:main": secret("x")})
	require.NoError(t, v.root.Sys().Seal())
	requireAllUnavailable(t, vault, "sealed; unseal it")
	_, err := v.root.Sys().Unseal(v.unsealKey)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := vault.Credential(t.Context(), "pronet:main")
		return err == nil
	}, time.Minute, 50*time.Millisecond)
	requireSecret(t, vault, "pronet:main", "x")
}

// A slow vault is waited for; one that does not respond is not.
func testRealSlow(t *testing.T, v *realVault) {
	address, err := url.Parse(v.address)
	require.NoError(t, err)
	var delay atomic.Int64
	behind := httputil.NewSingleHostReverseProxy(address)
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(time.Duration(delay.Load())):
			behind.ServeHTTP(w, r)
		case <-t.Context().Done(): // the client has given up
		}
	}))
	t.Cleanup(far.Close)

	client := vaultClient(t, far.URL, nil)
	vault := server.NewVault(client, "secret/svc", server.Token(always("root")), nil)
	fill(t, vault, credentialstest.Holding{"pronet:main": secret("x")})
	delay.Store(int64(time.Second))
	requireSecret(t, vault, "pronet:main", "x")

	delay.Store(int64(time.Hour))
	client.SetClientTimeout(200 * time.Millisecond)
	requireAllUnavailable(t, vault, "does not answer in time")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = vault.Credential(ctx, "pronet:main")
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func testRealStopped(t *testing.T, v *realVault) {
	vault := server.NewVault(vaultClient(t, v.address, nil), "secret/svc", server.Token(always("root")), nil)
	requireSecret(t, vault, "pronet:main", "x")
	v.stop()
	requireAllUnavailable(t, vault, "cannot be reached")
}

//go:build vault

package server_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/openbao/openbao/api/v2"
	"github.com/stretchr/testify/require"
)

// vaultVariable names a program that runs a vault: that of OpenBao or of
// HashiCorp Vault. `make e2e-vault` builds the latter.
const vaultVariable = "SVC_E2E_VAULT"

// realVault is a vault in a child process, with in-memory storage.
type realVault struct {
	address   string
	unsealKey string
	root      *api.Client // logged in as root
	stop      func()
}

func startVault(t *testing.T) *realVault {
	t.Helper()
	program := os.Getenv(vaultVariable)
	require.NotEmpty(t, program, "%s names no vault; run `make e2e-vault`", vaultVariable)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())

	cmd := exec.CommandContext(t.Context(), program, "server", "-dev", "-dev-listen-address="+address, "-dev-root-token-id=root", "-dev-no-store-token")
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = cmd.Stdout
	require.NoError(t, cmd.Start())
	v := &realVault{address: "http://" + address}
	v.stop = func() {
		_ = cmd.Process.Kill() // it may have been stopped already
		_ = cmd.Wait()
	}
	t.Cleanup(v.stop)
	v.unsealKey = unsealKey(t, out)
	v.root = vaultClient(t, v.address, nil)
	v.root.SetToken("root")
	require.Eventually(t, func() bool {
		health, err := v.root.Sys().Health()
		return err == nil && !health.Sealed
	}, time.Minute, 50*time.Millisecond)
	return v
}

// unsealKey reads the key from the output of a starting vault. It discards later output, so
// that the vault does not block.
func unsealKey(t *testing.T, out interface{ Read([]byte) (int, error) }) string {
	t.Helper()
	lines := bufio.NewScanner(out)
	var seen bytes.Buffer
	for lines.Scan() {
		fmt.Fprintln(&seen, lines.Text())
		if key, ok := strings.CutPrefix(lines.Text(), "Unseal Key: "); ok {
			go func() { // ends with the process
				for lines.Scan() {
				}
			}()
			return key
		}
	}
	require.Fail(t, "the vault did not start", seen.String())
	return ""
}

// write writes to the vault as root.
func (v *realVault) write(t *testing.T, path string, data map[string]any) *api.Secret {
	t.Helper()
	secret, err := v.root.Logical().WriteWithContext(t.Context(), path, data)
	require.NoError(t, err)
	return secret
}

// variables returns the environment of a server that uses the vault as root.
func (v *realVault) variables(more ...string) map[string]string {
	vars := map[string]string{"VAULT_ADDR": v.address, "VAULT_TOKEN": "root"}
	for i := 0; i < len(more); i += 2 {
		vars[more[i]] = more[i+1]
	}
	return vars
}

// role returns the environment of a server with an AppRole that has the policy and tokens
// with the given TTL.
func (v *realVault) role(t *testing.T, policy, ttl string) map[string]string {
	t.Helper()
	require.NoError(t, v.root.Sys().PutPolicy("svc", policy))
	v.write(t, "auth/approle/role/svc", map[string]any{"token_policies": "svc", "token_ttl": ttl})
	role, err := v.root.Logical().ReadWithContext(t.Context(), "auth/approle/role/svc/role-id")
	require.NoError(t, err)
	secretID := v.write(t, "auth/approle/role/svc/secret-id", nil)
	return map[string]string{
		"VAULT_ADDR": v.address, "VAULT_ROLE_ID": role.Data["role_id"].(string), "VAULT_SECRET_ID": secretID.Data["secret_id"].(string),
	}
}

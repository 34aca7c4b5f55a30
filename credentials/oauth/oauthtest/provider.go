package oauthtest

import (
	"bufio"
	"embed"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

//go:embed testdata/oidc
var files embed.FS

// Provider is npm's oidc-provider, with token rotation and detection of reuse, and a user
// who logs in with Chromium. It is for end-to-end tests, and needs node, npm and chromium.
// Make one with [StartProvider].
type Provider struct {
	Issuer string // its URL

	dir      string
	chromium string
	redirect string
}

// StartProvider starts a provider that ends with t. Its codes are valid for codeLifetime,
// in whole seconds.
func StartProvider(t *testing.T, codeLifetime time.Duration) *Provider {
	t.Helper()
	p := &Provider{dir: t.TempDir(), redirect: "http://127.0.0.1:1/auth/pronet/callback"}
	var err error
	p.chromium, err = exec.LookPath("chromium")
	require.NoError(t, err)
	p.install(t)
	settings, err := json.Marshal(map[string]any{"codeSeconds": int(codeLifetime.Seconds()), "accessSeconds": 3600, "redirect": p.redirect})
	require.NoError(t, err)
	node := exec.Command("node", "provider.mjs", string(settings)) // ended below
	node.Dir = p.dir
	out, err := node.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, node.Start())
	t.Cleanup(func() {
		_ = node.Process.Kill()
		_ = node.Wait() // it was killed
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	p.Issuer = strings.TrimSpace(line)
	return p
}

// install copies the programs into the provider's folder and installs their dependencies.
func (p *Provider) install(t *testing.T) {
	t.Helper()
	programs, err := fs.Sub(files, "testdata/oidc")
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(p.dir, programs))
	npm := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund")
	npm.Dir = p.dir
	out, err := npm.CombinedOutput()
	require.NoError(t, err, string(out))
	// The program that github.com/pkg/browser starts on Linux.
	opener := "#!/bin/sh\nexport SVC_CHROMIUM='" + p.chromium + "'\nexec node '" + p.dir + "/browse.mjs' \"$@\"\n"
	require.NoError(t, os.Mkdir(p.Bin(), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(p.Bin(), "xdg-open"), []byte(opener), 0o700)) // a program
}

// Bin is a folder for PATH. Its xdg-open simulates a user who logs in and consents, or who
// cancels if SVC_BROWSE is "cancel".
func (p *Provider) Bin() string { return filepath.Join(p.dir, "bin") }

// Consent makes the user log in at address and consent. It returns the redirect address,
// without opening it.
func (p *Provider) Consent(t *testing.T, address string) string {
	t.Helper()
	browser := exec.CommandContext(t.Context(), filepath.Join(p.Bin(), "xdg-open"), address)
	browser.Env = append(os.Environ(), "SVC_BROWSE=stay")
	out, err := browser.Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// Settings returns the environment that configures name with the provider's client
// "desktop", which has no secret.
func (p *Provider) Settings(name string) map[string]string {
	prefix := strings.ToUpper(name) + "_"
	return map[string]string{
		prefix + "CLIENT_ID": "desktop", prefix + "SCOPES": "openid offline_access", prefix + "ISSUER": p.Issuer,
		prefix + "AUTH_URL": p.Issuer + "/auth", prefix + "TOKEN_URL": p.Issuer + "/token", prefix + "REVOKE_URL": p.Issuer + "/token/revocation",
	}
}

// ServerSettings is Settings for the client "server", which has a secret. It also returns
// the client's redirect address.
func (p *Provider) ServerSettings(name string) (settings map[string]string, redirect string) {
	settings = p.Settings(name)
	prefix := strings.ToUpper(name) + "_"
	settings[prefix+"CLIENT_ID"] = "server"
	settings[prefix+"CLIENT_SECRET"] = "a secret of 32 characters or more"
	settings[prefix+"AUTH_STYLE"] = "basic"
	return settings, p.redirect
}

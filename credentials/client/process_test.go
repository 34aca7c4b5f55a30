package client_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/oauth/oauthtest"
)

// desktop runs the driver repeatedly, like programs of one user.
type desktop struct {
	binary string
	env    []string
}

// newDesktop builds the driver for pronet at base, with a file as the keyring.
func newDesktop(t *testing.T, network *oauthtest.Network, base string) *desktop {
	t.Helper()
	dir := t.TempDir()
	d := &desktop{binary: filepath.Join(dir, "driver")}
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", d.binary, "./testdata/driver")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	d.env = append(os.Environ(), "DRIVER_DIR="+filepath.Join(dir, "svc"), "DRIVER_KEYRING="+filepath.Join(dir, "keyring"))
	for name, text := range network.Settings("pronet", base) {
		d.env = append(d.env, name+"="+text)
	}
	return d
}

// command returns the driver with these arguments.
func (d *desktop) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, d.binary, args...)
	cmd.Env = d.env
	cmd.Stderr = &bytes.Buffer{}
	return cmd
}

// run runs the driver and returns the words that it prints.
func (d *desktop) run(t *testing.T, args ...string) []string {
	t.Helper()
	cmd := d.command(t.Context(), args...)
	out, err := cmd.Output()
	require.NoError(t, err, "%v: %s", args, cmd.Stderr)
	return strings.Fields(string(out))
}

// refuse runs the driver, which must fail, and returns its error output.
func (d *desktop) refuse(t *testing.T, args ...string) string {
	t.Helper()
	cmd := d.command(t.Context(), args...)
	require.Error(t, cmd.Run(), "%v", args)
	return fmt.Sprint(cmd.Stderr)
}

// put stores c as an expired credential.
func (d *desktop) put(t *testing.T, c credentials.Credential) {
	t.Helper()
	cmd := d.command(t.Context(), "put", string(ref))
	cmd.Stdin = strings.NewReader(c.Access.Reveal() + " " + c.Refresh.Reveal())
	require.NoError(t, cmd.Run(), "%s", cmd.Stderr)
}

func fingerprint(c credentials.Credential) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(c.Access.Reveal())))[:16]
}

// getByMany gets the credential in a hundred goroutines of three processes. All must get
// the same one. It returns the fingerprint.
func (d *desktop) getByMany(t *testing.T) string {
	t.Helper()
	got := make([][]string, 3)
	var wg sync.WaitGroup
	for i, n := range []string{"34", "33", "33"} {
		wg.Go(func() {
			cmd := d.command(t.Context(), "get", string(ref), n)
			out, err := cmd.Output()
			assert.NoError(t, err, "%s", cmd.Stderr)
			got[i] = strings.Fields(string(out))
		})
	}
	wg.Wait()
	all := slices.Concat(got...)
	require.Len(t, all, 100)
	require.Len(t, slices.Compact(slices.Clone(all)), 1, "everybody has the same")
	return all[0]
}

func TestProcessesShareOneRefresh(t *testing.T) {
	network := &oauthtest.Network{Lifetime: time.Hour}
	d := newDesktop(t, network, serveAt(t, network))
	old := network.Issue(time.Time{})
	d.put(t, old)
	renewed := d.getByMany(t)
	require.NotEqual(t, fingerprint(old), renewed)
	requireOneRefresh(t, network)
	require.Equal(t, []string{renewed}, d.run(t, "get", string(ref)), "and it is stored")
}

func requireOneRefresh(t *testing.T, network *oauthtest.Network) {
	t.Helper()
	renewed, reused := network.Refreshes()
	require.Equal(t, 1, renewed)
	require.Zero(t, reused)
}

// A process dies while it renews the credential. The next one takes over.
func TestHolderOfTheLockDies(t *testing.T) {
	asked := make(chan struct{}, 1)
	var first sync.Once
	network := &oauthtest.Network{Lifetime: time.Hour}
	network.Answer = func(_ http.ResponseWriter, r *http.Request) (held bool) {
		first.Do(func() {
			held = true
			asked <- struct{}{}
			<-r.Context().Done()
		})
		return held
	}
	d := newDesktop(t, network, serveAt(t, network))
	old := network.Issue(time.Time{})
	d.put(t, old)

	holder := d.command(t.Context(), "get", string(ref))
	require.NoError(t, holder.Start())
	<-asked
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	waiting := d.command(ctx, "get", string(ref))
	var out bytes.Buffer
	waiting.Stdout = &out
	require.NoError(t, waiting.Start())
	require.NoError(t, holder.Process.Kill())
	require.Error(t, holder.Wait())
	require.NoError(t, waiting.Wait(), "%s", waiting.Stderr)
	require.NotEqual(t, fingerprint(old), strings.TrimSpace(out.String()))
	requireOneRefresh(t, network)
}

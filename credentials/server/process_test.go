package server_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/credentials/server"
)

// The test binary runs itself as another server with the same credentials. This variable
// sets the task of that process; the other variables are the server's configuration.
const roleVariable = "SVC_CREDENTIALS_TEST_ROLE"

func TestMain(m *testing.M) {
	roles := map[string]func(context.Context, *server.Provider) error{"count": countUp, "hold": hold}
	role, ok := roles[os.Getenv(roleVariable)]
	if !ok {
		os.Exit(m.Run())
	}
	p, err := server.Open(server.Config{Networks: network.Shipped()})
	if err == nil {
		err = role(context.Background(), p)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// counts is how often each process increments the counter.
const counts = 20

// countUp simulates renewals: it reads the credential under the lock and stores the next
// one. The secret is a number.
func countUp(ctx context.Context, p *server.Provider) error {
	for range counts {
		if err := countOne(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func countOne(ctx context.Context, p *server.Provider) error {
	unlock, err := p.Lock(ctx, "pronet:main")
	if err != nil {
		return err
	}
	defer unlock()
	c, err := p.Credential(ctx, "pronet:main")
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(c.Access.Reveal())
	if err != nil {
		return err
	}
	next := secret(strconv.Itoa(n + 1))
	next.Revision = c.Revision
	return p.SetCredential(ctx, "pronet:main", next)
}

// hold acquires the lock and holds it until the process is killed.
func hold(ctx context.Context, p *server.Provider) error {
	if _, err := p.Lock(ctx, "pronet:main"); err != nil {
		return err
	}
	fmt.Println("locked")
	<-time.After(time.Hour) // or until it is killed; with nothing to wait for, the runtime would call it a deadlock
	return nil
}

func start(t *testing.T, role string, variables ...string) (cmd *exec.Cmd, stdout *bufio.Scanner) {
	t.Helper()
	cmd = exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(append(os.Environ(), roleVariable+"="+role), variables...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return cmd, bufio.NewScanner(out)
}

// requireCount makes three processes, configured by variables, increment the counter in the
// credential of p, and checks the sum.
func requireCount(t *testing.T, p *server.Provider, variables ...string) {
	t.Helper()
	require.NoError(t, p.SetCredential(t.Context(), "pronet:main", secret("0")))
	var all []*exec.Cmd
	for range 3 {
		cmd, _ := start(t, "count", variables...)
		all = append(all, cmd)
	}
	for _, cmd := range all {
		require.NoError(t, cmd.Wait())
	}
	requireSecret(t, p, "pronet:main", strconv.Itoa(3*counts))
}

// requireRecovery kills a process that holds the lock, and returns how long it takes until
// the lock can be acquired.
func requireRecovery(t *testing.T, p *server.Provider, variables ...string) time.Duration {
	t.Helper()
	require.NoError(t, p.SetCredential(t.Context(), "pronet:main", secret("x")))
	cmd, stdout := start(t, "hold", variables...)
	require.True(t, stdout.Scan())
	require.Equal(t, "locked", stdout.Text())
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := p.Lock(ctx, "pronet:main")
	require.ErrorIs(t, err, context.DeadlineExceeded)

	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	killed := time.Now()
	unlock, err := p.Lock(t.Context(), "pronet:main")
	require.NoError(t, err)
	unlock()
	return time.Since(killed)
}

// The suite tests locks only if the sources implement Locker.
func TestSourcesCanBeLocked(t *testing.T) {
	for _, p := range []credentials.Provider{&server.Provider{}, &server.File{}, &server.Vault{}} {
		require.Implements(t, (*credentials.Locker)(nil), p)
	}
}

func TestFileOfSeveralProcesses(t *testing.T) {
	vars := map[string]string{"SVC_CREDENTIALS_FILE": filepath.Join(t.TempDir(), "credentials.env")}
	requireCount(t, open(t, config(t, vars)), "SVC_CREDENTIALS_FILE="+vars["SVC_CREDENTIALS_FILE"])
}

func TestFileLockOfTheDeadIsFree(t *testing.T) {
	vars := map[string]string{"SVC_CREDENTIALS_FILE": filepath.Join(t.TempDir(), "credentials.env")}
	p := open(t, config(t, vars))
	require.Less(t, requireRecovery(t, p, "SVC_CREDENTIALS_FILE="+vars["SVC_CREDENTIALS_FILE"]), 30*time.Second)
}

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/internal/docstest"
)

// root is the root directory of the project.
const root = "../../.."

// TestPagesOfClusters executes the commands for trying a cluster in the documentation.
func TestPagesOfClusters(t *testing.T) {
	dir := folder(t)
	out, err := exec.Command("go", "build", "-C", root, "-o", filepath.Join(dir, "bin")+"/", "./cmd/svc", "./cmd/svc-cluster").CombinedOutput()
	require.NoError(t, err, string(out))
	script := fmt.Sprintf("#!/bin/sh\n%s=1 exec %s --addr 127.0.0.1:%s --temporal-port %s --postgres-port %s \"$@\"\n", asProgram, os.Args[0], port(t), port(t), port(t))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bin", "svc-cluster-dev"), []byte(script), 0o700)) //nolint:gosec // a program
	t.Setenv("SVC_CONFIG_DIR", t.TempDir())

	readme := docstest.Find(t, root+"/README.md", "sh", "bin/svc-cluster-dev >")
	begins, others, _ := strings.Cut(readme[strings.Index(readme, "bin/svc-cluster-dev >"):], "elsewhere: ")
	page := docstest.Find(t, root+"/docs/cluster.md", "sh", ". ./cluster.env")
	require.True(t, strings.HasSuffix(page, strings.TrimPrefix(others, ". ./cluster.env; ")), "both end with the same worker: %s", others)
	background(t, dir, begins)
	require.Eventually(t, func() bool {
		text, _ := os.ReadFile(filepath.Join(dir, "cluster.env"))
		return strings.Count(string(text), "\n") == printed
	}, time.Minute, 20*time.Millisecond, "it prints where everything is")
	docstest.Shell(t, dir, "", ". ./cluster.env; timeout 60 bash -c 'until bin/svc runs list; do sleep 0.1; done'")

	background(t, dir, others)
	lines := strings.Split(strings.TrimSpace(page), "\n")
	said := docstest.Shell(t, dir, "", strings.Join(lines[:len(lines)-1], "\n"))
	require.Contains(t, said, "Hello, Ada!")
	docstest.Shell(t, dir, "", ". ./cluster.env; timeout 60 bash -c \"until bin/svc-cluster check | grep '^workers .* 2 of '; do sleep 0.1; done\"")
}

// folder returns a directory for a cluster, and removes it when the test ends.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "dev")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755)) //nolint:gosec // another user runs PostgreSQL, which refuses to run as root
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// background starts a command line of a page, and ends it with the test, like Ctrl-C.
func background(t *testing.T, dir, line string) {
	t.Helper()
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", line)
	cmd.Dir, cmd.Stderr = dir, t.Output()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		_ = cmd.Wait() // the shell exits with the signal
	})
}

//go:build e2e && linux

package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestFullDisk fills the disk of a server and makes room again.
func TestFullDisk(t *testing.T) {
	dir := smallDisk(t)
	b := launch(t, start{data: filepath.Join(dir, "data")})
	b.do(http.StatusCreated, "POST", "/workflows", noted("kept", "first"))
	ended := b.start(quick)
	b.waitFor(ended, "completed")

	filler := filepath.Join(dir, "filler")
	fill(t, filler)
	require.Equal(t, "storage_full", b.refuses(http.StatusInsufficientStorage, "/workflows", noted("kept", "second")))
	require.Equal(t, "storage_full", b.refuses(http.StatusInsufficientStorage, "/workflows", noted("other", "")))
	b.waitFor(b.start(quick), "completed") // the log of runs has taken its room before
	require.Contains(t, string(b.do(http.StatusOK, "GET", "/workflows/kept", "").body), "first")
	require.Equal(t, "completed", b.status(ended))
	b.do(http.StatusOK, "POST", "/execute", quick)

	require.NoError(t, os.Remove(filler))
	b.do(http.StatusCreated, "POST", "/workflows", noted("kept", "third"))
	b.waitFor(b.start(quick), "completed")
	require.Contains(t, string(b.do(http.StatusOK, "GET", "/workflows/kept", "").body), "third")
	b.stop()
}

// TestFullDiskDuringARun fills the disk while a run is recorded: the run fails with storage_full,
// and its run slot is free again.
func TestFullDiskDuringARun(t *testing.T) {
	dir := smallDisk(t)
	b := launch(t, start{data: filepath.Join(dir, "data")})
	runID := b.start(`{"id":"loop","nodes":[{"id":"loop","type":"control.foreach","config":{"list":[` +
		strings.Repeat("1,", 4000) + `1]},"body":{"nodes":[{"id":"wait","type":"control.delay","config":{"ms":20}}],"connections":[]}}],"connections":[]}`)
	filler := filepath.Join(dir, "filler")
	fill(t, filler)
	b.waitFor(runID, "failed")
	require.Contains(t, string(b.do(http.StatusOK, "GET", "/executions/"+runID, "").body), "storage_full")
	require.NoError(t, os.Remove(filler))
	for range 12 { // more than there are places
		b.waitFor(b.start(quick), "completed")
	}
	b.stop()
}

// TestReadOnly removes the write permission of a server.
func TestReadOnly(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	b := launch(t, start{data: data, user: nobody(t, data)})
	b.do(http.StatusCreated, "POST", "/workflows", noted("kept", "first"))
	b.waitFor(b.start(quick), "completed")

	permit(t, data, 0o555)
	t.Cleanup(func() { permit(t, data, 0o755) })
	require.Equal(t, "unavailable", b.refuses(http.StatusServiceUnavailable, "/workflows", noted("kept", "second")))
	b.waitFor(b.start(quick), "completed") // the log of runs is open
	require.Contains(t, string(b.do(http.StatusOK, "GET", "/workflows/kept", "").body), "first")

	permit(t, data, 0o755)
	b.do(http.StatusCreated, "POST", "/workflows", noted("kept", "third"))
	b.waitFor(b.start(quick), "completed")
	b.stop()
}

// TestNoDescriptors uses up all file descriptors of a server.
func TestNoDescriptors(t *testing.T) {
	const files = 64
	b := launch(t, start{files: files})
	b.do(http.StatusCreated, "POST", "/workflows", noted("kept", "first")) // and keeps its connection
	var taken []interface{ Close() error }
	for range files {
		taken = append(taken, b.dial()) // what is too much waits outside
	}
	require.Eventually(t, func() bool { return b.descriptors() >= files }, time.Minute, time.Millisecond)
	require.Equal(t, "unavailable", b.refuses(http.StatusServiceUnavailable, "/workflows", noted("kept", "second")))
	require.Equal(t, "unavailable", b.refuses(http.StatusServiceUnavailable, "/executions", quick))

	for _, conn := range taken {
		require.NoError(t, conn.Close())
	}
	require.Eventually(t, func() bool { return b.descriptors() < files/2 }, time.Minute, time.Millisecond)
	require.Contains(t, string(b.do(http.StatusOK, "GET", "/workflows/kept", "").body), "first")
	b.do(http.StatusCreated, "POST", "/workflows", noted("kept", "third"))
	b.waitFor(b.start(quick), "completed")
	b.stop()
}

// noted is a workflow with a note of a kilobyte that begins with text.
func noted(id, text string) string {
	return fmt.Sprintf(`{"id":%q,"nodes":[],"connections":[],"notes":[{"id":"n","text":%q,"position":{"x":0,"y":0}}]}`, id, text+strings.Repeat(".", 1000))
}

// smallDisk returns a file system of one megabyte.
func smallDisk(t *testing.T) string {
	t.Helper()
	program(t)
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m,mode=755", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("this needs the right to mount a small file system: %v: %s", err, out)
	}
	t.Cleanup(func() { require.NoError(t, exec.Command("umount", "--lazy", dir).Run()) })
	return dir
}

// fill fills the disk on which a file is.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	defer func() { _ = f.Close() }() // there may be no room for that either
	for size := 64 << 10; size > 0; size /= 2 {
		for {
			if _, err = f.Write(make([]byte, size)); err != nil {
				break
			}
		}
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
}

// nobody returns a user without privileges, who owns data.
func nobody(t *testing.T, data string) *syscall.Credential {
	t.Helper()
	program(t)
	require.NoError(t, os.MkdirAll(data, 0o755))
	if os.Getuid() != 0 {
		return nil // nor does this one have any
	}
	const uid = 65534
	for dir := data; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		require.NoError(t, err)
		if info.Mode().Perm()&0o011 == 0 {
			require.NoError(t, os.Chmod(dir, info.Mode().Perm()|0o011))
		}
	}
	require.NoError(t, os.Chown(data, uid, uid))
	return &syscall.Credential{Uid: uid, Gid: uid}
}

// permit changes the permissions of all directories below dir.
func permit(t *testing.T, dir string, mode os.FileMode) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(path, mode)
		}
		return err
	}))
}

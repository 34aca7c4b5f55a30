package audit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi/audit"
)

// lines reads a log and checks that each line is complete.
func lines(t *testing.T, path string) []audit.Entry {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var list []audit.Entry
	for line := range bytes.Lines(text) {
		var e audit.Entry
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(&e), string(line))
		list = append(list, e)
	}
	return list
}

func TestLogIsForItsOwnerAndGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "not", "there", audit.File)
	for i := range 3 {
		l := audit.Open(path)
		require.NoError(t, l.Write(audit.Entry{Time: time.Now(), ID: fmt.Sprint(i), Outcome: audit.Done}))
		require.NoError(t, l.Close())
	}
	require.Len(t, lines(t, path), 3)
	if info, err := os.Stat(path); runtime.GOOS != "windows" {
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077)
	}
	var none *audit.Log
	require.NoError(t, none.Write(audit.Entry{}))
	require.NoError(t, none.Close())
}

func TestLogIsBounded(t *testing.T) {
	dir := t.TempDir()
	l := audit.OpenSmall(filepath.Join(dir, audit.File), 1000)
	const all = 200
	for i := range all {
		require.NoError(t, l.Write(audit.Entry{Time: time.Now(), ID: fmt.Sprint(i), Outcome: audit.Done}))
	}
	require.NoError(t, l.Close())
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, audit.MaxFiles)
	last := all
	for n := range audit.MaxFiles { // newest first, without gaps
		path := filepath.Join(dir, audit.File)
		if n > 0 {
			path += fmt.Sprintf(".%d", n)
		}
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.LessOrEqual(t, info.Size(), int64(1000))
		list := lines(t, path)
		require.Equal(t, fmt.Sprint(last-1), list[len(list)-1].ID)
		last -= len(list)
	}
}

// TestSeveralWrite writes one file with several logs, like servers on one data directory. No line
// is lost or torn.
func TestSeveralWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), audit.File)
	var group sync.WaitGroup
	for who := range 4 {
		group.Go(func() {
			l := audit.Open(path)
			for i := range 100 {
				if err := l.Write(audit.Entry{Time: time.Now(), Who: fmt.Sprint(who), ID: fmt.Sprint(i), Outcome: audit.Done}); err != nil {
					t.Error(err)
				}
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	require.Len(t, lines(t, path), 400)
}

func TestRefusalsCannotFillTheLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), audit.File)
	l := audit.Open(path)
	now := time.Now()
	for range 1000 {
		require.NoError(t, l.Write(audit.Entry{Time: now, Outcome: audit.Refused}))
	}
	require.NoError(t, l.Write(audit.Entry{Time: now, Who: "ci", Outcome: audit.Refused}), "others are counted for themselves")
	for range 200 {
		require.NoError(t, l.Write(audit.Entry{Time: now, Who: "main", Outcome: audit.Done}), "changes are never left out")
	}
	require.NoError(t, l.Write(audit.Entry{Time: now.Add(time.Second), Outcome: audit.Refused}))
	list := lines(t, path)
	require.Len(t, list, 100+1+200+1)
	require.Zero(t, list[100].Unlisted)
	require.Equal(t, 900, list[len(list)-1].Unlisted)
	require.NoError(t, l.Close())
}

func TestRunsThatAreWaitedForCannotFillTheLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), audit.File)
	l := audit.Open(path)
	now := time.Now()
	for range 1500 {
		require.NoError(t, l.Write(audit.Entry{Time: now, Who: "ci", Outcome: audit.Done, Waited: true}))
	}
	require.NoError(t, l.Write(audit.Entry{Time: now, Who: "ci", Outcome: audit.Done}), "changes are never left out")
	require.NoError(t, l.Write(audit.Entry{Time: now.Add(time.Second), Who: "ci", Outcome: audit.Done, Waited: true}))
	list := lines(t, path)
	require.Len(t, list, 1000+1+1)
	require.Zero(t, list[1000].Unlisted)
	require.Equal(t, 500, list[1001].Unlisted)
	require.NoError(t, l.Close())
}

func TestLogThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, audit.File)
	require.NoError(t, os.Mkdir(path, 0o700))
	l := audit.Open(path)
	require.ErrorContains(t, l.Write(audit.Entry{Outcome: audit.Done}), "audit log")
	require.NoError(t, os.Remove(path))
	require.NoError(t, l.Write(audit.Entry{Outcome: audit.Done}), "it comes back by itself")
	require.NoError(t, l.Close())
}

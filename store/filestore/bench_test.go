package filestore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store/filestore"
	"github.com/svcflow/svc/store/storetest"
)

func filled(b *testing.B, workflows int) (*filestore.Store, string) {
	dir := b.TempDir()
	s := filestore.Open(dir)
	for n := range workflows {
		_, err := s.Save(b.Context(), storetest.Definition(fmt.Sprint("w", n), "one"))
		require.NoError(b, err)
	}
	return s, dir
}

func BenchmarkFileLoad(b *testing.B) {
	s, _ := filled(b, 1)
	b.ReportAllocs()
	for b.Loop() {
		_, err := s.Load(b.Context(), "w0")
		require.NoError(b, err)
	}
}

func BenchmarkFileVersion(b *testing.B) {
	s, _ := filled(b, 1)
	b.ReportAllocs()
	for b.Loop() {
		_, err := s.Version(b.Context(), "w0")
		require.NoError(b, err)
	}
}

func BenchmarkFileSave(b *testing.B) {
	s, _ := filled(b, 1)
	n := 0
	for b.Loop() {
		n++
		_, err := s.Save(b.Context(), storetest.Definition("w0", fmt.Sprint(n)))
		require.NoError(b, err)
	}
}

// BenchmarkFilePage lists a page of 20,000 files. Most of the time goes into listing names.
func BenchmarkFilePage(b *testing.B) {
	dir := b.TempDir()
	for n := range 20_000 {
		name := fmt.Sprintf("w%d-%032x.json", n, n*7919)
		require.NoError(b, os.WriteFile(filepath.Join(dir, name), []byte("{"), 0o600))
	}
	s := filestore.Open(dir)
	b.ReportAllocs()
	for b.Loop() {
		_, err := s.List(b.Context(), workflow.Query{})
		require.NoError(b, err)
	}
}

// BenchmarkFileList lists 1,000 workflows that are cached, and 1,000 that are not.
func BenchmarkFileList(b *testing.B) {
	warm, dir := filled(b, 1000)
	b.Run("warm", func(b *testing.B) {
		for b.Loop() {
			_, err := workflow.All(b.Context(), warm.List)
			require.NoError(b, err)
		}
	})
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			_, err := workflow.All(b.Context(), filestore.Open(dir).List)
			require.NoError(b, err)
		}
	})
}

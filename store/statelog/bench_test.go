package statelog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/store/statelog"
)

// BenchmarkStateChange measures changes of a value by several goroutines, and, for comparison, a
// plain file that is synced after each line.
func BenchmarkStateChange(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		f, err := os.Create(filepath.Join(b.TempDir(), "log"))
		require.NoError(b, err)
		line := make([]byte, 100)
		for b.Loop() {
			_, err := f.Write(line)
			require.NoError(b, err)
			require.NoError(b, f.Sync())
		}
		require.NoError(b, f.Close())
	})
	for _, at := range []int{1, 8, 64} {
		b.Run(fmt.Sprint("at ", at), func(b *testing.B) {
			s := statelog.Open(b.TempDir())
			b.ResetTimer()
			countTogether(b, s, b.N, at)
		})
	}
}

package golden_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/enginetest/golden"
)

// recorder is a test that records its failure.
type recorder struct {
	testing.TB
	text string
}

func (r *recorder) Helper()                           {}
func (r *recorder) Errorf(format string, args ...any) { r.text += fmt.Sprintf(format, args...) }
func (r *recorder) FailNow()                          { panic(r) }

// failure returns the failure message of a comparison; empty if it passes.
func failure(t *testing.T, path, got string) (text string) {
	t.Helper()
	r := &recorder{TB: t}
	defer func() {
		if recover() != nil {
			text = r.text
		}
	}()
	golden.Equal(r, path, []byte(got), false)
	return ""
}

func TestOnlyTheLinesThatDifferArePrinted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "text")
	const lines = 5000
	text := strings.Repeat("the same\n", lines)
	golden.Equal(t, path, []byte(text+"old\nend\n"), true)

	require.Empty(t, failure(t, path, text+"old\nend\n"))

	said := failure(t, path, text+"new\nnewer\nend\n")
	require.Contains(t, said, "line 5001:")
	require.Contains(t, said, "- old")
	require.Contains(t, said, "+ new")
	require.Contains(t, said, "+ newer")
	require.NotContains(t, said, "the same")
	require.NotContains(t, said, "end")

	said = failure(t, path, strings.Repeat("another\n", lines))
	require.Contains(t, said, "- … 4982 more lines")
	require.Contains(t, said, "+ … 4980 more lines")
	require.Less(t, len(said), 3000)
}

func TestWhatIsWrittenIsWhatIsComparedWith(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text")
	require.Contains(t, failure(t, path, "one"), "no such file")
	golden.Equal(t, path, []byte("one"), true)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "one", string(text))
}

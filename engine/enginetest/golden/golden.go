// Package golden compares test results with files in the repository.
package golden

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Equal fails the test unless the file at path contains got. It prints only the lines that
// differ. With update it writes got to the file instead, and creates its folder if
// necessary.
func Equal(t testing.TB, path string, got []byte, update bool) {
	t.Helper()
	if update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	Match(t, path, want, got)
}

// Match is Equal with a text that the caller has read; name says where it comes from.
func Match(t testing.TB, name string, want, got []byte) {
	t.Helper()
	if !bytes.Equal(want, got) {
		require.Fail(t, "differs from "+name, "%s\n`make golden` writes the file again", difference(string(want), string(got)))
	}
}

// mostLines is the maximum number of lines of each text that a failure shows.
const mostLines = 20

// difference returns the lines that differ, without the common first and last lines.
func difference(want, got string) string {
	was, is := strings.Split(want, "\n"), strings.Split(got, "\n")
	begin := 0
	for begin < min(len(was), len(is)) && was[begin] == is[begin] {
		begin++
	}
	was, is = was[begin:], is[begin:]
	for len(was) > 0 && len(is) > 0 && was[len(was)-1] == is[len(is)-1] {
		was, is = was[:len(was)-1], is[:len(is)-1]
	}
	return fmt.Sprintf("line %d:\n%s", begin+1, strings.Join(slices.Concat(marked("- ", was), marked("+ ", is)), "\n"))
}

// marked returns the first lines with a mark before each, and the number of further lines.
func marked(mark string, lines []string) []string {
	var shown []string
	for _, line := range lines[:min(len(lines), mostLines)] {
		shown = append(shown, mark+line)
	}
	if more := len(lines) - mostLines; more > 0 {
		shown = append(shown, fmt.Sprintf("%s… %d more lines", mark, more))
	}
	return shown
}

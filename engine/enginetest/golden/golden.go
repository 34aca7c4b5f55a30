// Package golden compares what a test has made with a file of the repository.
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

// Equal fails the test unless the file at path holds got, and prints the lines that differ, not
// the whole texts. With update it writes got to the file instead, and makes the folder of the
// file if there is none.
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

// Match is Equal with a text that the caller has read; name says where from.
func Match(t testing.TB, name string, want, got []byte) {
	t.Helper()
	if !bytes.Equal(want, got) {
		require.Fail(t, "differs from "+name, "%s\n`make golden` writes the file again", difference(string(want), string(got)))
	}
}

// mostLines is how many lines of each text a failure shows.
const mostLines = 20

// difference shows what is between the lines that both texts begin and end with.
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

// marked puts a mark before each of the first lines, and says how many there are beyond them.
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

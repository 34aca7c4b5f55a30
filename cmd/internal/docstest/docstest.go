// Package docstest reads the code blocks of the documentation, for the tests that run
// them: what a page shows has to work.
package docstest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Block is one fenced block of a page.
type Block struct {
	Language, Text string
	Line           int // where it begins, from 1
}

// fence finds a block: language, text.
const fence = "(?sm)^```([a-z]+)\n(.*?)^```"

// Blocks returns the blocks of a page in their order. path is relative to the root of
// the module.
func Blocks(t testing.TB, path string) (blocks []Block) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(Root(t), path))
	require.NoError(t, err)
	for _, at := range regexp.MustCompile(fence).FindAllSubmatchIndex(text, -1) {
		blocks = append(blocks, Block{
			Language: string(text[at[2]:at[3]]), Text: string(text[at[4]:at[5]]),
			Line: bytes.Count(text[:at[0]], []byte("\n")) + 1,
		})
	}
	return blocks
}

// Find returns the first block of a language that contains part.
func Find(t testing.TB, path, language, part string) string {
	t.Helper()
	for _, b := range Blocks(t, path) {
		if b.Language == language && strings.Contains(b.Text, part) {
			return b.Text
		}
	}
	require.FailNow(t, "no such block", "%s: %s: %s", path, language, part)
	return ""
}

// Shell runs a command line as a user would, in the folder dir and with the programs of
// the folder bin on the PATH, and returns what it prints.
func Shell(t testing.TB, dir, bin, line string) string {
	t.Helper()
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", line)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "SVC_API_KEY=")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s\n%s", line, stderr.String())
	return string(out)
}

// Root returns the folder of the module that the test is run in.
func Root(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

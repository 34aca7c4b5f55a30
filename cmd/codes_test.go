package cmd_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryErrorCodeIsDocumented compares the table of codes in the book with the
// constants of the engine and the nodes, both ways. The OpenAPI document has the codes of HTTP
// answers; a test of httpapi compares it with the sources.
func TestEveryErrorCodeIsDocumented(t *testing.T) {
	constant := regexp.MustCompile(`(?m)^(?:const)?\s+[cC]ode[A-Z]\w*\s+= "([a-z_]+)"`)
	written := regexp.MustCompile(`(?:node\.Errorf|permanent)\(\s*"[a-z_]+",`)
	found := map[string]bool{}
	for _, dir := range []string{"../engine", "../nodes"} {
		require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/sim/") {
				return err
			}
			source, err := os.ReadFile(path)
			require.NoError(t, err)
			for _, match := range constant.FindAllSubmatch(source, -1) {
				found[string(match[1])] = true
			}
			require.Nil(t, written.Find(source), "%s: give the code a constant, and a row in docs/errors.md", path)
			return nil
		}))
	}
	require.Greater(t, len(found), 35)
	text, err := os.ReadFile("../docs/errors.md")
	require.NoError(t, err)
	documented := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| .+ \\|$").FindAllSubmatch(text, -1) {
		documented[string(row[1])] = true
	}
	require.Equal(t, found, documented)
}

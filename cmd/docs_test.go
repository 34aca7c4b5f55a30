package cmd_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/internal/docstest"
)

// pages are the pages whose code blocks are tested: workflows are valid, terminal sessions print
// what they show, and Go programs compile.
func pages() []string {
	return []string{
		"README.md", "docs/README.md", "docs/start.md", "docs/workflows.md", "docs/triggers.md", "docs/embed.md", "docs/operate.md", "docs/credentials.md",
		"docs/contributing.md", "docs/design.md",
	}
}

// testPages saves the workflows of each page under their ids, and runs the commands of the page.
func testPages(t *testing.T, bin string) {
	for _, page := range pages() {
		t.Run(page, func(t *testing.T) {
			dir := t.TempDir()
			for _, b := range docstest.Blocks(t, page) {
				switch b.Language {
				case "json":
					if name := workflowOf(t, b); name != "" {
						require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(b.Text), 0o600))
						require.Equal(t, name+": valid\n", docstest.Shell(t, dir, bin, "svc validate "+name), "line %d", b.Line)
					}
				case "console":
					for exchange := range strings.SplitSeq(strings.TrimPrefix(b.Text, "$ "), "\n$ ") {
						command, want, _ := strings.Cut(exchange, "\n")
						require.Equal(t, strings.TrimSpace(want), strings.TrimSpace(docstest.Shell(t, dir, bin, command)), "line %d: %s", b.Line, command)
					}
				case "go":
					compile(t, b)
				}
			}
		})
	}
}

// workflowOf returns the file name for the workflow in a block; "" for other JSON.
func workflowOf(t *testing.T, b docstest.Block) string {
	t.Helper()
	var def struct {
		ID    string
		Nodes []any
	}
	if strings.HasPrefix(b.Text, "[") {
		require.True(t, json.Valid([]byte(b.Text)), "line %d", b.Line)
		return ""
	}
	require.NoError(t, json.Unmarshal([]byte(b.Text), &def), "line %d", b.Line)
	if def.Nodes == nil {
		return ""
	}
	require.NotEmpty(t, def.ID, "line %d: documents of a page have ids", b.Line)
	return def.ID + ".json"
}

// compile vets a Go file.
func compile(t *testing.T, b docstest.Block) {
	t.Helper()
	require.True(t, strings.HasPrefix(b.Text, "package "), "line %d: a Go block is a whole file", b.Line)
	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, []byte(b.Text), 0o600))
	out, err := exec.Command("go", "vet", file).CombinedOutput()
	require.NoError(t, err, "line %d: %s", b.Line, out)
}

// testOperateNamesFlags checks that the flags and variables on the page for operators exist.
func testOperateNamesFlags(t *testing.T, bin string) {
	var help strings.Builder
	for _, command := range []string{"serve", "migrate", "keys create", "keys list", "credentials list", "runs resume", "runs show", "run"} {
		help.WriteString(docstest.Shell(t, t.TempDir(), bin, "svc "+command+" --help"))
	}
	page, err := os.ReadFile("../docs/operate.md")
	require.NoError(t, err)
	foreign := []string{ // of useradd, systemctl and tar, and of commands that media nodes call
		"--system", "--no-create-home", "--shell", "--now", "--exclude",
		"--text", "--language", "--voice", "--speed", "--output", "--audio", "--prompt", "--image", "--level",
	}
	for _, name := range regexp.MustCompile(`--[a-z][a-z0-9-]+`).FindAllString(string(page), -1) {
		if !slices.Contains(foreign, name) {
			require.Regexp(t, regexp.QuoteMeta(name)+`\b`, help.String())
		}
	}
	media, err := filepath.Glob("../nodes/media/*.go") // its help has further variables
	require.NoError(t, err)
	for _, path := range media {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		help.Write(text)
	}
	for _, name := range regexp.MustCompile(`SVC_[A-Z_]+[A-Z]`).FindAllString(string(page), -1) {
		if name != "SVC_VAR" { // the beginning of those that workflows see
			require.Contains(t, help.String(), name)
		}
	}
}

// TestPagesNameWhatIsThere checks that the files, tests and verbs on the pages for contributors
// exist.
func TestPagesNameWhatIsThere(t *testing.T) {
	tests := allTests(t)
	verbs, err := os.ReadFile("../Makefile")
	require.NoError(t, err)
	for _, page := range []string{"docs/contributing.md", "docs/design.md", "README.md"} {
		text, err := os.ReadFile(filepath.Join("..", page))
		require.NoError(t, err)
		for _, m := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(string(text), -1) {
			switch name := m[1]; {
			case regexp.MustCompile(`^Test[A-Z]\w+$`).MatchString(name):
				require.Contains(t, tests, "func "+name+"(", page)
			case regexp.MustCompile(`^make [a-z0-9-]+$`).MatchString(name):
				require.Contains(t, string(verbs), "\n"+strings.TrimPrefix(name, "make ")+":", "%s: %s", page, name)
			case regexp.MustCompile(`^(app|cmd|credentials|docs|engine|httpapi|nodes|store|ui)/[\w./-]+$`).MatchString(name):
				_, err := os.Stat(filepath.Join("..", name))
				require.NoError(t, err, page)
			}
		}
	}
}

// allTests returns the text of every test file.
func allTests(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	require.NoError(t, filepath.WalkDir("..", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	}))
	return all.String()
}

// TestCommentsCiteThePage checks that comments cite existing titles of docs/design.md.
func TestCommentsCiteThePage(t *testing.T) {
	design, err := os.ReadFile("../docs/design.md")
	require.NoError(t, err)
	cites := regexp.MustCompile(`docs/design\.md,(?:\s|//)+([A-Z][a-z]+(?:(?:\s|//)+[a-z]+)*)[).,;]`)
	require.NoError(t, filepath.WalkDir("..", func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range cites.FindAllSubmatch(text, -1) {
			title := strings.Join(strings.Fields(strings.ReplaceAll(string(m[1]), "//", " ")), " ")
			require.Contains(t, string(design), "\n## "+title+"\n", path)
		}
		require.NotRegexp(t, `DESIGN (section|\d)|[(]spec section`, string(text), path)
		return err
	}))
}

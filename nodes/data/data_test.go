package data_test

import (
	"io"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/data"
	"github.com/svcflow/svc/nodes/nodetest"
)

type record = map[string]any

// rootFiles is a minimal file system for tests.
type rootFiles struct{ *os.Root }

func (rootFiles) Clean(name string) (string, error) { return path.Clean(name), nil }
func (rootFiles) Place(name string) string          { return name }
func (rootFiles) Writer(f *os.File) io.Writer       { return f }

// host returns a host of the nodes, and the directory of their files.
func host(t testing.TB) (*nodetest.Host, string) {
	t.Helper()
	dir := t.TempDir()
	return nodetest.New(t, data.New(data.Config{Files: files(t, dir)})), dir
}

func files(t testing.TB, dir string) rootFiles {
	t.Helper()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return rootFiles{root}
}

func put(t testing.TB, dir, name, content string) {
	t.Helper()
	full := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
	require.NoError(t, os.WriteFile(full, []byte(content), 0o600))
}

func read(t testing.TB, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(text)
}

func TestSpecs(t *testing.T) { nodetest.Check(t, data.New(data.Config{})) }

func TestRandom(t *testing.T) {
	nodetest.Quick(t, data.New(data.Config{Files: files(t, t.TempDir())}), map[string][]map[string]any{
		"data.csv_parse":        {{"text": "a,b\n1,2\n"}, {"text": "a,b\n1\n", "delimiter": "auto", "quote": "'", "strict": false, "header": false}},
		"data.csv_each":         {{"text": "a,b\n1,2\n3,4\n5,6\n", "batch": 2, "delimiter": "auto", "quote": `"`, "skip": 0}},
		"data.csv_format":       {{"delimiter": ";"}, {"delimiter": ",", "path": "a.csv", "append": true}},
		"data.html_extract":     {{"fields": map[string]any{"x": "a @href []"}}, {"fields": map[string]any{"x": "p html"}, "items": "*", "html": page}},
		"data.html_to_markdown": {nil, {"html": page}},
		"data.feed_parse":       {{"text": rss}},
		"data.ics_parse":        {{"timezone": "UTC", "from": "2026-01-01", "text": event("UID:1", "DTSTART:20260101T000000Z", "RRULE:FREQ=DAILY")}},
		"data.eml_parse":        {{"text": "Subject: a\n\nb", "attachments_dir": "mail"}},
		"data.gzip":             {{"base64": "aGVsbG8="}, {"base64": "aGVsbG8=", "to": "a.gz"}},
		"data.gunzip":           {{"path": "a.gz"}},
		"data.detect":           {{"path": "a.gz"}},
		"data.xml_parse":        {{"text": "<a b='1'><c/></a>"}},
		"data.xml_format":       {nil, {"root": "a"}},
		"data.yaml_parse":       {{"text": "a: [1, 2]"}},
		"data.toml_parse":       {{"text": "a = [1, 2]"}},
	})
}

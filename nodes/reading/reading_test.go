package reading_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes/control"
	nodesio "github.com/svcflow/svc/nodes/io"
	"github.com/svcflow/svc/nodes/reading"
)

type linesIn struct {
	reading.Source
}

type linesOut struct {
	Lines []string `port:"lines" doc:"The lines."`
}

// rootFiles is a minimal file system.
type rootFiles struct{ *os.Root }

func (rootFiles) Clean(name string) (string, error) { return path.Clean(name), nil }
func (rootFiles) Place(name string) string          { return name }
func (rootFiles) Writer(f *os.File) io.Writer       { return f }

// registry has a node that reads lines, repairs those that end with a blank and drops those
// that end with an exclamation mark.
func registry(t *testing.T, dir string) *node.Registry {
	t.Helper()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	n := node.Func("test.lines", "Lines", func(ctx context.Context, in linesIn) (out linesOut, err error) {
		input, err := in.Whole(ctx, rootFiles{root}, 1)
		if err != nil {
			return out, err
		}
		notes := reading.NotesOf(ctx)
		text, err := input.Text(notes, "")
		if err != nil {
			return out, err
		}
		for i, line := range strings.Split(text, "\n") {
			if strings.HasSuffix(line, "!") {
				notes.Dropped(i+1, "row", "it ends with %q", "!")
				continue
			}
			if strings.HasSuffix(line, " ") {
				notes.Repaired(i+1, "", "it ends with a blank")
			}
			out.Lines = append(out.Lines, strings.TrimSpace(line))
		}
		return out, nil
	})
	n = reading.Node(n.Doc("Reads lines."), "path", "text", "base64")
	r, err := node.NewRegistry(node.Bundle{Name: "test", Nodes: []node.Node{n}}, control.Plugin(), nodesio.Plugin(nodesio.Env{}))
	require.NoError(t, err)
	return r
}

// run runs a workflow with the nodes and connections of the document.
func run(t *testing.T, dir, document string) (*engine.Result, []engine.Event) {
	t.Helper()
	env := engine.Env{Registry: registry(t, dir), Limits: workflow.DefaultLimits()}
	def, err := workflow.Decode([]byte(document), env.Limits)
	require.NoError(t, err)
	plan, err := engine.Compile(t.Context(), def, env)
	require.NoError(t, err)
	var events []engine.Event
	r, err := new(engine.Local).Run(t.Context(), plan, engine.Options{RunID: "1", Observe: func(e engine.Event) { events = append(events, e) }})
	require.NoError(t, err)
	return r.Result(), events
}

// single is a document with one node that reads; more is added to its config.
func single(config string) string {
	return fmt.Sprintf(`{"id":"w","nodes":[{"id":"read","type":"test.lines","config":{%s}}],"connections":[]}`, config)
}

func TestALossFailsTheNodeUnlessItIsAccepted(t *testing.T) {
	text := `"text":"one \ntwo!\nthree!"`
	result, _ := run(t, t.TempDir(), single(text))
	require.Equal(t, engine.StatusFailed, result.Status)
	require.Equal(t, node.CodeInvalidInput, result.Error.Code)
	require.Equal(t, `line 2, row: it ends with "!" (and 1 more); to take the rest, use the output warnings or set strict to false`, result.Error.Message)
	require.Zero(t, result.Warnings)

	result, _ = run(t, t.TempDir(), single(text+`,"strict":false`))
	require.Equal(t, engine.StatusCompleted, result.Status)
	require.Equal(t, []any{"one"}, result.Nodes["read"].Outputs["lines"])
	require.Equal(t, 3, result.Warnings)
	require.Equal(t, 3, result.Nodes["read"].Warnings)

	result, events := run(t, t.TempDir(), `{"id":"w","nodes":[{"id":"read","type":"test.lines","config":{`+text+`}},
		{"id":"see","type":"control.value"}],"connections":[{"fromNodeId":"read","fromPort":"warnings","toNodeId":"see","toPort":"value"}]}`)
	require.Equal(t, engine.StatusCompleted, result.Status, "%v", result.Error)
	require.Equal(t, []any{
		map[string]any{"line": 1, "item": nil, "message": "it ends with a blank"},
		map[string]any{"line": 2, "item": "row", "message": `it ends with "!"`},
		map[string]any{"line": 3, "item": "row", "message": `it ends with "!"`},
	}, result.Nodes["see"].Outputs["value"])
	require.Equal(t, 3, result.Warnings)
	require.Equal(t, 0, result.Nodes["see"].Warnings)
	counted := 0
	for _, e := range events {
		counted += e.Warnings
	}
	require.Equal(t, 3, counted)
}

func TestARepairIsAWarningOnly(t *testing.T) {
	result, _ := run(t, t.TempDir(), single(`"text":"one "`))
	require.Equal(t, engine.StatusCompleted, result.Status)
	require.Equal(t, 1, result.Warnings)
}

func TestWarningsOfABodyCountForItsLoopAndTheRun(t *testing.T) {
	result, _ := run(t, t.TempDir(), `{"id":"w","nodes":[{"id":"loop","type":"control.foreach","config":{"list":["a "," b","c "]},"body":{"nodes":[
		{"id":"in","type":"io.input","config":{"name":"item","type":"string"}},{"id":"read","type":"test.lines"}],
		"connections":[{"fromNodeId":"in","fromPort":"value","toNodeId":"read","toPort":"text"}]}}],"connections":[]}`)
	require.Equal(t, engine.StatusCompleted, result.Status, "%v", result.Error)
	require.Equal(t, 2, result.Warnings)
	require.Equal(t, 2, result.Nodes["loop"].Warnings)
}

func TestOneInputIsRead(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("Gr\xfc\xdfe"), 0o600))
	for config, want := range map[string]string{
		`"path":"a.txt"`:   "Grüße",
		`"text":"Grüße"`:   "Grüße",
		`"text":"\ufeffa"`: "a",
		`"base64":"` + base64.StdEncoding.EncodeToString([]byte("\xff\xfeG\x00")) + `"`:                   "G",
		`"base64":"R_zf\nZQ","encoding":"latin1"`:                                                         "Güße",
		`"base64":"` + base64.StdEncoding.EncodeToString([]byte("\x96\xbc")) + `","encoding":"Shift_JIS"`: "名",
	} {
		result, _ := run(t, dir, single(config))
		require.Equal(t, engine.StatusCompleted, result.Status, "%s: %v", config, result.Error)
		require.Equal(t, []any{want}, result.Nodes["read"].Outputs["lines"], config)
		require.Zero(t, result.Warnings)
	}
	for config, want := range map[string]string{
		`"base64":"*"`:                        "no base64",
		`"path":"b.txt"`:                      "there is no file b.txt",
		`"path":"a.txt","encoding":"klingon"`: `there is no encoding "klingon"`,
	} {
		result, _ := run(t, dir, single(config))
		require.Equal(t, engine.StatusFailed, result.Status, config)
		require.ErrorContains(t, result.Error, want)
	}
	result, _ := run(t, dir, single(`"path":"a.txt","encoding":"utf-8"`))
	require.Equal(t, 1, result.Warnings, "characters that are not UTF-8")

	env := engine.Env{Registry: registry(t, dir), Limits: workflow.DefaultLimits()}
	for config, want := range map[string]string{``: "give path, text or base64", `"path":"a","text":"b"`: "2 inputs to read, path and text"} {
		def, err := workflow.Decode([]byte(single(config)), env.Limits)
		require.NoError(t, err)
		_, err = engine.Compile(t.Context(), def, env)
		require.ErrorContains(t, err, want)
	}
}

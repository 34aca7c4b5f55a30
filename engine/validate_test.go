package engine_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest"
	"github.com/svcflow/svc/engine/workflow"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestValidate compiles the workflow of each golden file and compares its problems.
func TestValidate(t *testing.T) {
	files, err := filepath.Glob("testdata/validate/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			validateGolden(t, archive)
			if *update {
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
			}
		})
	}
}

// validateGolden compiles the workflow of the archive and compares its problems; with
// -update it writes them into the archive instead.
func validateGolden(t *testing.T, archive *txtar.Archive) {
	kit := enginetest.NewKit()
	var def *workflow.Definition
	want := -1
	for i, f := range archive.Files {
		switch f.Name {
		case "workflow.json":
			def = decode(t, f.Data)
		case "problems.json":
			want = i
		default:
			kit.Store(decode(t, f.Data)) // stored/ID.json
		}
	}
	got := problemsOf(t, kit, def)
	require.Zero(t, kit.Calls(), "validation calls no executor")
	if !*update {
		require.GreaterOrEqual(t, want, 0, "no problems.json; run with -update")
		require.Equal(t, string(archive.Files[want].Data), got)
		return
	}
	if want < 0 {
		want = len(archive.Files)
		archive.Files = append(archive.Files, txtar.File{Name: "problems.json"})
	}
	archive.Files[want].Data = []byte(got)
}

func decode(t *testing.T, data []byte) *workflow.Definition {
	def, err := workflow.Decode(data, workflow.DefaultLimits())
	require.NoError(t, err)
	return def
}

// problemsOf returns the problems of def, one JSON object per line.
func problemsOf(t *testing.T, kit *enginetest.Kit, def *workflow.Definition) string {
	_, err := engine.Compile(t.Context(), def, kit.Env(t))
	var problems engine.ValidationErrors
	if err != nil {
		require.ErrorAs(t, err, &problems)
	}
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	for _, p := range problems {
		require.NoError(t, enc.Encode(p))
	}
	return text.String()
}

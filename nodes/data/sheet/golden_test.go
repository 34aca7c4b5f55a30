package sheet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/reading"
)

// cells returns the values of a sheet by the names of the cells, and its notes.
func cells(t testing.TB, data []byte, o Options) (map[string]any, []reading.Note, error) {
	t.Helper()
	var notes reading.Notes
	w, err := Open(t.Context(), bytes.NewReader(data), int64(len(data)), &notes)
	if err != nil {
		return nil, nil, err
	}
	left := 1
	if o.Range != nil {
		left = o.Range.Left
	}
	all := map[string]any{}
	err = w.Rows(o, func(row int, values []any) error {
		for i, v := range values {
			if v != nil {
				all[fmt.Sprint(columnName(left+i), row)] = v
			}
		}
		return nil
	})
	return all, notes.All(), err
}

func TestCellsAreThoseOfOpenpyxl(t *testing.T) {
	data, err := os.ReadFile("testdata/openpyxl.json")
	require.NoError(t, err)
	var golden struct{ Files map[string]map[string]any }
	require.NoError(t, json.Unmarshal(data, &golden))
	files, err := filepath.Glob("testdata/*.xlsx")
	require.NoError(t, err)
	require.Len(t, golden.Files, len(files))
	for name, want := range golden.Files {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", name))
			require.NoError(t, err)
			got, notes, err := cells(t, data, Options{})
			require.NoError(t, err)
			require.Empty(t, notes)
			for at, v := range got {
				if n, ok := v.(int); ok {
					got[at] = float64(n) // as JSON has it
				}
			}
			require.Equal(t, want, got)
		})
	}
}

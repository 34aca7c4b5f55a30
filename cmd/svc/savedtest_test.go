package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the editor saves of a run passes here; its own tests make the file.
func TestATestOfTheEditorPasses(t *testing.T) {
	h := &host{env: func(string) (string, bool) { return "", false }}
	cases, err := h.testFile(t.Context(), filepath.Join("..", "..", "ui", "testdata", "saved.test.json"))
	require.NoError(t, err)
	require.Len(t, cases, 1)
	require.True(t, cases[0].Passed, "%v", cases[0].Problems)
}

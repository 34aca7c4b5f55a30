package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A test that the editor saves from a run passes here; the tests of the editor make the file.
func TestATestOfTheEditorPasses(t *testing.T) {
	h := &host{env: func(string) (string, bool) { return "", false }}
	cases, err := h.testFile(t.Context(), filepath.Join("..", "..", "ui", "testdata", "saved.test.json"))
	require.NoError(t, err)
	require.Len(t, cases, 1)
	require.True(t, cases[0].Passed, "%v", cases[0].Problems)
}

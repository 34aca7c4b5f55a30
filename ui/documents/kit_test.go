package documents_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/documents"
)

// envDir is set in the process of this test binary that saves drafts there until it is
// killed.
const envDir = "SVC_DOCUMENTS_TEST_DIR"

func TestMain(m *testing.M) {
	dir, child := os.LookupEnv(envDir)
	if !child {
		os.Exit(m.Run())
	}
	fmt.Fprintln(os.Stderr, saveForEver(dir))
	os.Exit(1)
}

// saveForEver saves a draft again and again, and prints how often it was.
func saveForEver(dir string) error {
	drafts, err := documents.OpenDrafts(dir)
	if err != nil {
		return err
	}
	draft := drafts.Begin(documents.Origin{File: "/w.json"})
	for n := 1; ; n++ {
		if err := draft.Save(definition(strconv.Itoa(n))); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

func definition(name string) *workflow.Definition {
	return &workflow.Definition{ID: "w", Name: name, Nodes: []workflow.Node{{ID: "a", Type: "acme.unknown", Config: map[string]any{"n": int(1) << 62}}}}
}

func open(t *testing.T, dir string) *documents.Drafts {
	t.Helper()
	drafts, err := documents.OpenDrafts(dir)
	require.NoError(t, err)
	return drafts
}

// left returns the drafts that are offered, and requires that there are n.
func left(t *testing.T, d *documents.Drafts, n int) []documents.OrphanDraft {
	t.Helper()
	all, err := d.Orphans()
	require.NoError(t, err)
	require.Len(t, all, n)
	return all
}

// requireNoFiles requires that a folder is empty.
func requireNoFiles(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
}

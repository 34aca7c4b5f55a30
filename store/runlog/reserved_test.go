package runlog

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/store/internal/runtext"
)

// TestNamesOfLinesAreReserved checks that no frame can have the name of another kind of line.
func TestNamesOfLinesAreReserved(t *testing.T) {
	require.ElementsMatch(t, []string{lineDocument, lineStart, lineCopy, lineValue, lineEnd, lineWholeRun, lineVoid, lineDelete, lineKey}, runtext.Reserved())
}

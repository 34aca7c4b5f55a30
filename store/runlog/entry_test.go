package runlog

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/store/internal/runindex"
)

// TestEntriesOfRunsAreSmall bounds the size of an index entry, since there may be hundreds of
// thousands. 176 bytes is a size class of the allocator.
func TestEntriesOfRunsAreSmall(t *testing.T) {
	require.LessOrEqual(t, reflect.TypeFor[runindex.Entry[fileRun]]().Size(), uintptr(176))
}

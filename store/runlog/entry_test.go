package runlog

import (
	"reflect"
	"testing"

	"github.com/svcflow/svc/store/internal/runindex"

	"github.com/stretchr/testify/require"
)

// There may be hundreds of thousands of entries: 176 bytes is a size that Go allocates.
func TestEntriesOfRunsAreSmall(t *testing.T) {
	require.LessOrEqual(t, reflect.TypeFor[runindex.Entry[fileRun]]().Size(), uintptr(176))
}

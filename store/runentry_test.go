package store

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// There may be hundreds of thousands of entries: 176 bytes is a size that Go allocates.
func TestEntriesOfRunsAreSmall(t *testing.T) {
	require.LessOrEqual(t, reflect.TypeFor[runEntry[fileRun]]().Size(), uintptr(176))
}

package columns_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/data/columns"
)

func TestNamesAreUniqueAndNotEmpty(t *testing.T) {
	names, renamed := columns.Names([]string{" a ", "", "a", "a_2", "a", "column2", "A", "\xff"}, 1)
	require.Equal(t, []string{"a", "column2", "a_2", "a_2_2", "a_3", "column2_2", "A", "\ufffd"}, names)
	require.Equal(t, []columns.Renamed{{3, "a", "a_2"}, {4, "a_2", "a_2_2"}, {5, "a", "a_3"}, {6, "column2", "column2_2"}}, renamed)
	names, _ = columns.Names([]string{"", ""}, 27)
	require.Equal(t, []string{"column27", "column28"}, names)
}

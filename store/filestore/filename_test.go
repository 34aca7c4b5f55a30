package filestore

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFileNamesAreSafe(t *testing.T) {
	for id, want := range map[string]string{
		"Greet":        `^greet-[0-9a-f]{32}\.json$`,
		"CON":          `^con-[0-9a-f]{32}\.json$`,
		"..":           `^[0-9a-f]{32}\.json$`,
		"🚀":            `^[0-9a-f]{32}\.json$`,
		"a/../../b c ": `^a-b-c-[0-9a-f]{32}\.json$`,
	} {
		require.Regexp(t, want, fileName(id))
	}
	require.NotEqual(t, fileName("A"), fileName("a"))
}

package program_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/internal/program"
)

func TestShell(t *testing.T) {
	for word, want := range map[string]string{
		"data/api-key": "data/api-key",
		"my data/key":  "'my data/key'",
		"it's":         `'it'\''s'`,
		"$(x)":         "'$(x)'",
		"":             "''",
	} {
		require.Equal(t, want, program.Shell(word))
	}
}

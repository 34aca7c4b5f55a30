// Package built finds the programs that `make e2e` has built, for the tests that drive
// them. Such tests have the build tag e2e, so that nobody runs them by accident: a
// program that is missing fails them.
package built

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Variable names the environment variable with the folder of the programs.
const Variable = "SVC_E2E_BIN"

// Program returns the path of a program, such as "svc".
func Program(t testing.TB, name string) string {
	t.Helper()
	folder := os.Getenv(Variable)
	require.NotEmpty(t, folder, "%s names no folder with built programs; run `make e2e`", Variable)
	path := filepath.Join(folder, name)
	require.FileExists(t, path, "run `make build desktop`")
	return path
}

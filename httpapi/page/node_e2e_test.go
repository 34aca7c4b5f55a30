//go:build e2e

package page_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// Without Node.js the tests of the script are skipped; `make e2e` does not put up with it.
func TestNodeIsThere(t *testing.T) {
	_, err := exec.LookPath("node")
	require.NoError(t, err)
}

//go:build e2e

package page_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNodeIsThere fails without Node.js. Other tests skip the script tests then; `make e2e` must
// not.
func TestNodeIsThere(t *testing.T) {
	_, err := exec.LookPath("node")
	require.NoError(t, err)
}

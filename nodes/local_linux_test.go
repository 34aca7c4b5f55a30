package nodes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/nodetest"
)

// Kernel files such as those in /proc have a size of 0 but have content, like a file that
// grows after its size was read.
func TestReadIsBoundedWhateverTheSizeSays(t *testing.T) {
	env, err := Local(Policy{FilesDir: t.TempDir()})
	require.NoError(t, err)
	h := nodetest.New(t, Builtin(env)[0])
	got, err := h.Exec("io.file_read", nil, record{"path": "/proc/self/status"})
	require.NoError(t, err)
	require.NotZero(t, got["bytes"])
	_, err = h.Exec("io.file_read", nil, record{"path": "/proc/self/status", "maxBytes": 10})
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
	for _, device := range []string{"/dev/zero", "/dev/null", "/dev/tty"} {
		_, err = h.Exec("io.file_read", nil, record{"path": device})
		require.Equal(t, node.CodeForbidden, node.CodeOf(err))
		_, err = h.Exec("io.file_write", nil, record{"path": device, "content": "x"})
		require.Equal(t, node.CodeForbidden, node.CodeOf(err))
	}
}

package mediacore_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/media"
	"github.com/svcflow/svc/nodes/mediacore"
	"github.com/svcflow/svc/nodes/nodetest"
)

func TestSpecs(t *testing.T) { nodetest.Check(t, mediacore.New(media.New(media.Config{}))) }

// Nodes that get anything at all fail in words, and touch nothing.
func TestRandom(t *testing.T) {
	s := newStudio(t)
	s.clip("a.mp4", "64x64", "25", 1, true)
	require.NoError(t, os.Rename(s.file("a.mp4"), s.file("a.bin")))
	nodetest.Quick(t, mediacore.New(s.tools()), nil)
}

package mediacore_test

import (
	"testing"

	"github.com/svcflow/svc/nodes/media"
	"github.com/svcflow/svc/nodes/mediacore"
	"github.com/svcflow/svc/nodes/nodetest"
)

func TestSpecs(t *testing.T) { nodetest.Check(t, mediacore.New(media.New(media.Config{}))) }

// Nodes that get anything at all fail in words, and touch nothing.
func TestRandom(t *testing.T) {
	nodetest.Quick(t, mediacore.New(media.New(media.Config{})), nil)
}

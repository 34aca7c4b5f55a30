package mediaai_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/media"
	"github.com/svcflow/svc/nodes/mediaai"
	"github.com/svcflow/svc/nodes/nodetest"
)

func TestSpecs(t *testing.T) {
	nodetest.Check(t, mediaai.New(mediaai.Config{Tools: media.New(media.Config{})}))
}

// Nodes with random inputs fail with an error message, and have no effects.
func TestRandom(t *testing.T) {
	nodetest.Quick(t, mediaai.New(mediaai.Config{Tools: media.New(media.Config{})}), nil)
}

// The node types that stored workflows use.
func TestEveryNodeIsThere(t *testing.T) {
	var names []string
	for _, n := range mediaai.New(mediaai.Config{Tools: media.New(media.Config{})}).(node.Bundle).Nodes {
		names = append(names, n.Spec.Type)
	}
	require.ElementsMatch(t, []string{
		"media.text_to_speech", "media.text_to_speech.say", "media.text_to_speech.qwen3", "media.text_to_speech.oute", "media.speech_to_text", "media.ocr",
		"media.caption_style", "media.prompt_enhance", "media.describe_image",
	}, names)
}

package mediacore_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/media"
	"github.com/svcflow/svc/nodes/mediacore"
	"github.com/svcflow/svc/nodes/nodetest"
)

// The node types that stored workflows use.
func TestEveryNodeIsThere(t *testing.T) {
	var names []string
	registry, err := node.NewRegistry(mediacore.New(media.New(media.Config{})))
	require.NoError(t, err)
	for _, spec := range registry.Specs() {
		names = append(names, strings.TrimPrefix(spec.Type, "media."))
	}
	require.ElementsMatch(t, strings.Fields(`
		video_import image_import audio_extract audio_mix audios_list videos_list images_list video_stitch video_encode audio_encode caption_overlay
		video_compose video_overlay overlays_list sync_points_list sync_point timing_controller comparison_layout image_resize image_crop image_flip
		image_sequence_to_video ken_burns
		file_output audio_import probe render video_blank video_trim video_resize video_crop video_rotate image_rotate video_speed video_rate video_fade
		video_adjust video_text image_text video_watermark image_overlay video_sound cut_silence detect_silence detect_scenes video_thumbnail video_frames
		contact_sheet video_gif video_renditions audio_trim audio_concat audio_adjust audio_normalize audio_waveform image_encode image_adjust
		subtitles_read subtitles_write captions_arrange`), names)
}

func TestSpecs(t *testing.T) { nodetest.Check(t, mediacore.New(media.New(media.Config{}))) }

// Nodes with random inputs fail with an error message, and have no effects.
func TestRandom(t *testing.T) {
	nodetest.Quick(t, mediacore.New(media.New(media.Config{})), nil)
}

package media_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/media"
)

func FuzzProgress(f *testing.F) {
	f.Add("frame=1\nout_time_us=40000\nprogress=continue\nout_time_us=N/A\n")
	f.Add("out_time_us=-9223372036854775808\n")
	f.Fuzz(func(t *testing.T, text string) {
		media.ReadProgress(strings.NewReader(text), func(done time.Duration) {
			require.GreaterOrEqual(t, done, time.Duration(0))
		})
	})
}

const said = `{"streams":[{"codec_type":"video","codec_name":"h264","width":1920,"height":1080,"pix_fmt":"yuv420p","sample_aspect_ratio":"1:1",
"r_frame_rate":"30000/1001","avg_frame_rate":"30000/1001","duration":"2.002000","nb_frames":"60","side_data_list":[{"rotation":-90}]},
{"codec_type":"audio","codec_name":"aac","sample_rate":"48000","channels":2,"duration":"1.5"}],"format":{"format_name":"mov,mp4","duration":"2.1"}}`

func TestWhatFFprobeSaysIsUnderstood(t *testing.T) {
	s, err := media.ParseProbe([]byte(said), "video")
	require.NoError(t, err)
	require.Equal(t, media.Source{
		Path: "a", Turn: 90, Picture: "h264", Sound: "aac",
		Facts: media.Facts{
			Kind: "video", Width: 1080, Height: 1920, Rate: media.Rate{Num: 30000, Den: 1001}, Duration: 2.002,
			Sound: true, Samples: 48_000, Channels: 2, Lasting: 1.5,
		},
	}, s)
	_, err = media.ParseProbe([]byte(`{"streams":[{"codec_type":"audio"}],"format":{}}`), "video")
	require.Equal(t, "no_video", node.CodeOf(err))
	s, err = media.ParseProbe([]byte(strings.Replace(said, `"avg_frame_rate":"30000/1001"`, `"avg_frame_rate":"24/1"`, 1)), "video")
	require.NoError(t, err)
	require.True(t, s.Variable)
	require.Equal(t, media.Rate{Num: 24, Den: 1}, s.Facts.Rate)
}

// FuzzProbe checks that any output of ffprobe either is refused with an error, or gives a
// source for which a command can be planned.
func FuzzProbe(f *testing.F) {
	f.Add([]byte(said), "video")
	f.Add([]byte(`{"streams":[{"codec_type":"video","width":1,"height":1}],"frames":[{"tags":{"Orientation":"6"}}],"format":{"format_name":"jpeg_pipe"}}`), "image")
	f.Fuzz(func(t *testing.T, text []byte, kind string) {
		s, err := media.ParseProbe(text, kind)
		if err != nil {
			require.NotEqual(t, node.CodeFailed, node.CodeOf(err))
			return
		}
		r := media.Of(s)
		_, err = media.Plan(&r, media.Interim(r.Facts))
		require.NoError(t, err)
	})
}

func FuzzSilences(f *testing.F) {
	f.Add("silence_start: 1.5\nsilence_end: 2.5 | silence_duration: 1\nsilence_start: 9")
	f.Add("silence_end: 2\nsilence_start: -1e9\nsilence_start: 3\nsilence_end: 1")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0.0
		for _, s := range media.ParseSilences(text, 10) {
			require.True(t, last <= s.Start && s.Start <= s.End && s.End <= 10, "%+v", s)
			last = s.End
		}
		for _, s := range media.Between(media.ParseSilences(text, 10), 10, 0.1) {
			require.Less(t, s.Start, s.End)
		}
	})
}

func TestLoudnessThatIsNoneIsSaid(t *testing.T) {
	_, err := media.ParseLoudness(`{"input_i":"-inf","input_tp":"-inf","input_lra":"0.00","input_thresh":"-70.00","target_offset":"inf"}`)
	require.EqualError(t, err, "it is silent, so it cannot be made as loud as others")
	l, err := media.ParseLoudness("[info] {\n\"input_i\":\"-20.5\",\"input_tp\":\"-3\",\"input_lra\":\"1\",\"input_thresh\":\"-30\",\"target_offset\":\"0.1\"}\n")
	require.NoError(t, err)
	require.Equal(t, media.Loudness{Integrated: -20.5, Peak: -3, Range: 1, Threshold: -30, Offset: 0.1}, l)
}

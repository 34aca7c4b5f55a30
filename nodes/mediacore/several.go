package mediacore

import (
	"fmt"
	"math"
	"path"
	"slices"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/media"
)

type scenesIn struct {
	Video     value.Media `port:"video,deferred" media:"video" doc:"The video."`
	Threshold float64     `port:"threshold" default:"0.3" doc:"How different a picture has to be from the one before, from 0 to 1."`
}

type scenesOut struct {
	CutsMs []float64 `port:"cuts_ms" doc:"When a new scene begins."`
	Scenes []span    `port:"scenes" doc:"From when to when each scene lasts."`
}

func (c *core) detectScenes() node.Node {
	return rendering(c, "media.detect_scenes", "Find scenes", func(w work, in scenesIn) (scenesOut, error) {
		r, err := w.recipe(in.Video)
		if err != nil {
			return scenesOut{}, err
		}
		cuts, err := w.Cuts(w.ctx, &r, in.Threshold)
		out, at := scenesOut{CutsMs: []float64{}}, 0.0
		for _, cut := range append(cuts, r.Facts.Duration) {
			out.Scenes = append(out.Scenes, span{ms(at), ms(cut)})
			at = cut
		}
		for _, cut := range cuts {
			out.CutsMs = append(out.CutsMs, ms(cut))
		}
		return out, err
	}).Aliases("shots, cuts, chapters", "szenen, schnitte finden").Doc("Tells where the scenes of a video begin and end.\n\nExample: `threshold` = `0.2` finds more.")
}

type framesIn struct {
	Video   value.Media `port:"video,deferred" media:"video" doc:"The video."`
	EveryMs *float64    `port:"every_ms,optional" doc:"Takes a picture every so often."`
	TimesMs []float64   `port:"times_ms" default:"[]" doc:"Takes pictures at these times."`
	Limit   int         `port:"limit" default:"100" doc:"How many at most, up to 1000."`
	Width   *int        `port:"width,optional" doc:"How wide they get; without it as the video is."`
}

type framesOut struct {
	Images  []value.Media `port:"images" media:"image" doc:"The pictures, in their order."`
	TimesMs []float64     `port:"times_ms" doc:"When each is seen."`
}

// which returns the indexes of the requested frames, in order.
func (in *framesIn) which(f media.Facts) ([]int, error) {
	if in.Limit < 1 || in.Limit > 1000 {
		return nil, node.Errorf(node.CodeInvalidInput, "limit is from 1 to 1000")
	}
	var frames []int
	add := func(at float64) {
		frames = append(frames, max(0, min(f.Frames()-1, int(at/1000*f.Rate.Float()+1e-6))))
	}
	for _, at := range in.TimesMs {
		if !(at >= 0 && at <= f.Duration*1000) {
			return nil, node.Errorf(node.CodeInvalidInput, "the video has %v ms; times_ms have to lie within that", ms(f.Duration))
		}
		add(at)
	}
	if in.EveryMs != nil {
		if !(*in.EveryMs > 0) {
			return nil, node.Errorf(node.CodeInvalidInput, "every_ms is more than 0")
		}
		for i := 0; i < in.Limit && float64(i)**in.EveryMs < f.Duration*1000; i++ {
			add(float64(i) * *in.EveryMs)
		}
	}
	if len(frames) == 0 {
		return nil, node.Errorf(node.CodeInvalidInput, "say which pictures to take: give every_ms or times_ms")
	}
	slices.Sort(frames)
	frames = slices.Compact(frames)
	return frames[:min(len(frames), in.Limit)], nil
}

func (c *core) videoFrames() node.Node {
	return rendering(c, "media.video_frames", "Frames of a video", takeFrames).Converts(value.MediaOf("video"), value.ListOf(value.MediaOf("image"))).
		Aliases("extract frames, screenshots, stills", "bilder aus video, einzelbilder").Example(map[string]any{"every_ms": 1000}).Doc(
		"Takes pictures out of a video, each in a JPEG file, with one look at it.\n\nExample: `every_ms` = `1000`, `width` = `320`.")
}

func takeFrames(w work, in framesIn) (framesOut, error) {
	r, err := w.recipe(in.Video)
	if err != nil {
		return framesOut{}, err
	}
	frames, err := in.which(r.Facts)
	if err != nil {
		return framesOut{}, err
	}
	width, height := r.Facts.Width, r.Facts.Height
	if in.Width != nil {
		if width, height, err = size(in.Width, nil, r.Facts); err != nil {
			return framesOut{}, err
		}
	}
	made, err := w.Frames(w.ctx, &r, frames, width, height, func(i int) (string, error) {
		return w.Place(w.ctx, "", fmt.Sprintf("%d.jpg", i+1))
	})
	out := framesOut{Images: []value.Media{}, TimesMs: []float64{}}
	for i := range made {
		out.Images = append(out.Images, made[i].Media)
		out.TimesMs = append(out.TimesMs, ms(float64(frames[i])/r.Facts.Rate.Float()))
	}
	return out, err
}

type gifIn struct {
	Video      value.Media `port:"video,deferred" media:"video" doc:"The video."`
	Width      int         `port:"width" default:"480" doc:"How wide it gets; the shape stays."`
	FPS        float64     `port:"fps" default:"12" doc:"Pictures a second, up to 50."`
	Format     string      `port:"format" enum:"gif|webp" default:"gif" doc:"WebP is smaller and has all colours."`
	Loop       bool        `port:"loop" default:"true" doc:"Whether it begins again at its end."`
	OutputPath string      `port:"output_path" default:"" widget:"file" doc:"The file. Empty: one that is kept with the run."`
}

type gifOut struct {
	Image     value.Media `port:"image" media:"image" doc:"The picture that moves."`
	SizeBytes int         `port:"size_bytes" doc:"How big its file is."`
}

func (c *core) videoGIF() node.Node {
	return rendering(c, "media.video_gif", "Moving picture", func(w work, in gifIn) (gifOut, error) {
		r, err := w.recipe(in.Video)
		if err != nil {
			return gifOut{}, err
		}
		width, height, err := size(&in.Width, nil, r.Facts)
		if err != nil {
			return gifOut{}, err
		}
		if in.FPS < 0.1 || in.FPS > 50 {
			return gifOut{}, node.Errorf(node.CodeInvalidInput, "fps is from 0.1 to 50")
		}
		rate := media.RateOf(in.FPS)
		r, err = w.steps(r, media.Step{Op: "mute"},
			media.Step{Op: "rate", Numbers: map[string]float64{"num": float64(rate.Num), "den": float64(rate.Den)}, Words: map[string]string{"smooth": "no"}},
			stretched(width, height))
		if err != nil {
			return gifOut{}, err
		}
		name, err := w.Place(w.ctx, in.OutputPath, in.Format)
		if err != nil {
			return gifOut{}, err
		}
		made, err := w.Render(w.ctx, &r, media.Target{Format: in.Format, Quality: 75, Once: !in.Loop}, name)
		return gifOut{made.Media, int(made.Size)}, err
	}).Converts(value.MediaOf("video"), value.MediaOf("image")).Aliases("gif, animation, webp, meme", "gif, animation, bewegtes bild").Doc(
		"Makes a picture that moves of a video, with the colours that suit it best.\n\nExample: `width` = `320`, `fps` = `10`.")
}

type renditionsIn struct {
	Video     value.Media `port:"video,deferred" media:"video" doc:"The video."`
	Heights   []int       `port:"heights" default:"[1080,720,480]" doc:"How high each gets. Those that are higher than the video are left out."`
	Codec     string      `port:"codec" enum:"h264|hevc|av1|vp9" default:"h264" doc:"How the pictures are encoded."`
	OutputDir string      `port:"output_dir" default:"" doc:"The folder for the files. Empty: they are kept with the run."`
	HLS       bool        `port:"hls" default:"false" doc:"Makes playlists, too, so that players change between them as their line lets them."`
	SegmentMs float64     `port:"segment_ms" default:"4000" doc:"How long the parts in playlists are."`
}

type renditionsOut struct {
	Videos   []value.Media `port:"videos" media:"video" doc:"The videos, in the order of the heights."`
	Playlist *string       `port:"playlist" doc:"The file of the playlist of all of them, with hls."`
}

func (c *core) videoRenditions() node.Node {
	return rendering(c, "media.video_renditions", "Renditions", makeRenditions).
		Aliases("hls, adaptive streaming, 1080p 720p 480p, several sizes", "mehrere größen, streaming").Doc(
		"Makes a video in several sizes. It is decoded, and goes through what the nodes before ask for, once for all of them.\n\nExample: `heights` = `[720, 360]`, `hls` = `true`.")
}

func makeRenditions(w work, in renditionsIn) (renditionsOut, error) {
	r, err := w.recipe(in.Video)
	if err != nil {
		return renditionsOut{}, err
	}
	if in.SegmentMs < 500 || in.SegmentMs > 60_000 || len(in.Heights) == 0 || len(in.Heights) > 10 {
		return renditionsOut{}, node.Errorf(node.CodeInvalidInput, "there are 1 to 10 heights, and segment_ms is from 500 to 60000")
	}
	all, err := w.renditions(in, r.Facts)
	if err != nil {
		return renditionsOut{}, err
	}
	made, err := w.Renditions(w.ctx, &r, all, in.SegmentMs/1000)
	if err != nil {
		return renditionsOut{}, err
	}
	out := renditionsOut{}
	for i := range made {
		out.Videos = append(out.Videos, made[i].Media)
	}
	if in.HLS {
		name, err := w.among(in.OutputDir, "m3u8")
		if err != nil {
			return out, err
		}
		out.Playlist = &name
		err = w.Playlist(w.ctx, name, all, made)
		return out, err
	}
	return out, nil
}

// renditions plans the requested renditions. If the video is smaller than all of them, it
// plans one of the video's size.
func (w work) renditions(in renditionsIn, f media.Facts) (all []media.Rendition, err error) {
	heights := slices.DeleteFunc(slices.Clone(in.Heights), func(h int) bool { return h > f.Height })
	if len(heights) == 0 {
		heights = []int{f.Height / 2 * 2}
	}
	for i, h := range heights {
		if h < 16 || slices.Index(heights, h) != i {
			return nil, node.Errorf(node.CodeInvalidInput, "heights are 16 or more, and each is there once")
		}
		h = h / 2 * 2
		one := media.Rendition{
			Height: h, Width: max(2, 2*int(math.Round(float64(h)*float64(f.Width)/float64(f.Height)/2))),
			To: media.Target{Format: "mp4", Codec: in.Codec, Quality: 23, Speed: "medium", SoundBits: 128_000},
		}
		if one.Name, err = w.among(in.OutputDir, fmt.Sprintf("%d.mp4", h)); err != nil {
			return nil, err
		}
		if in.HLS {
			if one.Playlist, err = w.among(in.OutputDir, fmt.Sprintf("%d.m3u8", h)); err != nil {
				return nil, err
			}
		}
		all = append(all, one)
	}
	return all, nil
}

// among returns the path of one of several files: in the folder dir, or among the run's
// files if dir is empty.
func (w work) among(dir, name string) (string, error) {
	if dir == "" {
		return w.Place(w.ctx, "", name)
	}
	if name == "m3u8" {
		name = "all.m3u8"
	}
	return w.Place(w.ctx, path.Join(dir, name), "")
}

package mediacore

import (
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/media"
)

type stitchIn struct {
	Videos       []value.Media `port:"videos,deferred" media:"video" doc:"The clips, in their order."`
	Transition   string        `port:"transition" enum:"cut|fade|dissolve|black|wipe_left|wipe_right|wipe_up|wipe_down|slide_left|slide_right|circle" default:"cut" doc:"How one goes over into the next."`
	TransitionMs float64       `port:"transition_ms" default:"500" doc:"How long that takes, unless it is a cut."`
	Width        *int          `port:"width,optional" doc:"The width of the result; without it that of the first clip."`
	Height       *int          `port:"height,optional" doc:"Its height; without it that of the first clip."`
	FPS          *float64      `port:"fps,optional" doc:"Its frames a second; without it those of the first clip."`
	Fit          string        `port:"fit" enum:"contain|cover|stretch" default:"contain" doc:"What becomes of clips of another shape."`
	Background   string        `port:"background" default:"#000000" widget:"color" doc:"The colour of bars around them."`
}

type stitchOut struct {
	Video      value.Media `port:"video" media:"video" doc:"The video."`
	DurationMs float64     `port:"duration_ms" doc:"How long it is, in milliseconds."`
	FrameCount int         `port:"frame_count" doc:"How many frames it has."`
}

func (c *core) videoStitch() node.Node {
	return deferring(c, "media.video_stitch", "Join videos", "video", stitchVideos).
		Aliases("concatenate, merge, append, montage, transition", "videos verbinden, zusammenfügen, übergang").Doc(
		"Plays clips one after the other. They may differ in size, rate and codec, and may be silent; sound and picture of each stay together.\n\nExample: `transition` = `fade`.")
}

func stitchVideos(w work, in stitchIn) (stitchOut, error) {
	all, err := w.recipes(in.Videos)
	if err != nil {
		return stitchOut{}, err
	}
	first := all[0].Facts
	width, height := first.Width, first.Height
	if in.Width != nil || in.Height != nil {
		if width, height, err = size(in.Width, in.Height, first); err != nil {
			return stitchOut{}, err
		}
	}
	rate := first.Rate
	if in.FPS != nil {
		if rate, err = rateOf(*in.FPS); err != nil {
			return stitchOut{}, err
		}
	}
	m, f, err := w.thenAll(media.Step{
		Op: "stitch", Numbers: map[string]float64{
			"width": float64(width), "height": float64(height), "num": float64(rate.Num), "den": float64(rate.Den), "overlap": in.TransitionMs / 1000,
		},
		Words: map[string]string{"fit": in.Fit, "background": in.Background, "transition": in.Transition},
	}, all)
	return stitchOut{m, ms(f.Duration), f.Frames()}, err
}

type sequenceIn struct {
	Images       []value.Media `port:"images,deferred" media:"image" doc:"The pictures, in their order."`
	FPS          float64       `port:"fps" default:"1" doc:"Pictures a second; 0.25 shows each for four seconds."`
	Width        *int          `port:"width,optional" doc:"The width of the video; without it that of the first picture."`
	Height       *int          `port:"height,optional" doc:"Its height."`
	Fit          string        `port:"fit" enum:"contain|cover|stretch" default:"contain" doc:"What becomes of pictures of another shape."`
	TransitionMs float64       `port:"transition_ms" default:"0" doc:"How long one goes over into the next; 0 is a cut."`
	OutputFPS    float64       `port:"output_fps" default:"25" doc:"Frames a second of the video."`
}

func (c *core) sequence() node.Node {
	return deferring(c, "media.image_sequence_to_video", "Pictures to video", "video", sequenceOf).Converts(value.MediaOf("image"), value.MediaOf("video")).
		Aliases("slideshow, photo film, timelapse", "diashow, bilder zu video").Doc(
		"Makes a video that shows pictures one after the other.\n\nExample: `fps` = `0.5` shows each for two seconds.")
}

func sequenceOf(w work, in sequenceIn) (stitchOut, error) {
	all, err := w.recipes(in.Images)
	if err != nil {
		return stitchOut{}, err
	}
	rate, err := rateOf(in.OutputFPS)
	if err != nil {
		return stitchOut{}, err
	}
	if in.FPS < 0.0001 || in.FPS > 240 {
		return stitchOut{}, node.Errorf(node.CodeInvalidInput, "fps is more than 0 and at most 240")
	}
	overlap := in.TransitionMs / 1000
	for i := range all {
		seconds := 1 / in.FPS
		if i < len(all)-1 {
			seconds += overlap
		}
		if all[i], err = media.Then(media.Step{Op: "still", Node: w.path(), Numbers: map[string]float64{
			"duration": max(seconds, 2*overlap), "num": float64(rate.Num), "den": float64(rate.Den),
		}}, all[i]); err != nil {
			return stitchOut{}, err
		}
	}
	first := all[0].Facts
	width, height := (first.Width+1)/2*2, (first.Height+1)/2*2
	if in.Width != nil || in.Height != nil {
		if width, height, err = size(in.Width, in.Height, first); err != nil {
			return stitchOut{}, err
		}
	}
	transition := "cut"
	if overlap > 0 {
		transition = "fade"
	}
	m, f, err := w.thenAll(media.Step{
		Op: "stitch", Numbers: map[string]float64{"width": float64(width), "height": float64(height), "num": float64(rate.Num), "den": float64(rate.Den), "overlap": overlap},
		Words: map[string]string{"fit": in.Fit, "background": "#000000", "transition": transition},
	}, all)
	return stitchOut{m, ms(f.Duration), f.Frames()}, err
}

type videosIn struct {
	Video1 *value.Media  `port:"video1,optional,partial,deferred" media:"video" doc:"The first one."`
	Video2 *value.Media  `port:"video2,optional,partial,deferred" media:"video" doc:"The second one."`
	Video3 *value.Media  `port:"video3,optional,partial,deferred" media:"video" doc:"The third one."`
	Video4 *value.Media  `port:"video4,optional,partial,deferred" media:"video" doc:"The fourth one."`
	More   []value.Media `port:"more,optional,partial,deferred" media:"video" doc:"All others."`
}

type videosOut struct {
	Videos []value.Media `port:"videos" media:"video" doc:"Those that came, in their order."`
}

type audiosIn struct {
	Audio1 *value.Media  `port:"audio1,optional,partial,deferred" media:"audio" doc:"The first one."`
	Audio2 *value.Media  `port:"audio2,optional,partial,deferred" media:"audio" doc:"The second one."`
	Audio3 *value.Media  `port:"audio3,optional,partial,deferred" media:"audio" doc:"The third one."`
	Audio4 *value.Media  `port:"audio4,optional,partial,deferred" media:"audio" doc:"The fourth one."`
	More   []value.Media `port:"more,optional,partial,deferred" media:"audio" doc:"All others."`
}

type audiosOut struct {
	Audios []value.Media `port:"audios" media:"audio" doc:"Those that came, in their order."`
}

type imagesIn struct {
	Image1 *value.Media  `port:"image1,optional,partial,deferred" media:"image" doc:"The first one."`
	Image2 *value.Media  `port:"image2,optional,partial,deferred" media:"image" doc:"The second one."`
	Image3 *value.Media  `port:"image3,optional,partial,deferred" media:"image" doc:"The third one."`
	Image4 *value.Media  `port:"image4,optional,partial,deferred" media:"image" doc:"The fourth one."`
	More   []value.Media `port:"more,optional,partial,deferred" media:"image" doc:"All others."`
}

type imagesOut struct {
	Images []value.Media `port:"images" media:"image" doc:"Those that came, in their order."`
}

// listed returns all wired media, in the order of the output.
func (w work) listed(more []value.Media, numbered ...*value.Media) ([]value.Media, error) {
	var all []value.Media
	for _, m := range numbered {
		if m != nil {
			all = append(all, *m)
		}
	}
	all = append(all, more...)
	if w.lazy {
		return all, nil
	}
	for i := range all {
		if all[i].Recipe == "" {
			continue
		}
		r, err := w.recipe(all[i])
		if err == nil {
			all[i], _, err = w.numbered(i).give(r)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (c *core) videosList() node.Node {
	return deferring(c, "media.videos_list", "List of videos", "videos", func(w work, in videosIn) (videosOut, error) {
		all, err := w.listed(in.More, in.Video1, in.Video2, in.Video3, in.Video4)
		return videosOut{all}, err
	}).Aliases("collect videos", "videos sammeln").Doc("Makes a list of videos. Ports for lists take several wires themselves.\n\nExample: wire `video1` and `video2`.")
}

func (c *core) audiosList() node.Node {
	return deferring(c, "media.audios_list", "List of sounds", "audios", func(w work, in audiosIn) (audiosOut, error) {
		all, err := w.listed(in.More, in.Audio1, in.Audio2, in.Audio3, in.Audio4)
		return audiosOut{all}, err
	}).Aliases("collect sounds", "töne sammeln").Doc("Makes a list of sounds. Ports for lists take several wires themselves.\n\nExample: wire `audio1` and `audio2`.")
}

func (c *core) imagesList() node.Node {
	return deferring(c, "media.images_list", "List of pictures", "images", func(w work, in imagesIn) (imagesOut, error) {
		all, err := w.listed(in.More, in.Image1, in.Image2, in.Image3, in.Image4)
		return imagesOut{all}, err
	}).Aliases("collect pictures", "bilder sammeln").Doc("Makes a list of pictures. Ports for lists take several wires themselves.\n\nExample: wire `image1` and `image2`.")
}

type overlaysIn struct {
	Overlay1 *overlayRecord  `port:"overlay1,optional,partial,deferred" doc:"The lowest one."`
	Overlay2 *overlayRecord  `port:"overlay2,optional,partial,deferred" doc:"The second one."`
	Overlay3 *overlayRecord  `port:"overlay3,optional,partial,deferred" doc:"The third one."`
	Overlay4 *overlayRecord  `port:"overlay4,optional,partial,deferred" doc:"The fourth one."`
	More     []overlayRecord `port:"more,optional,partial,deferred" doc:"All others."`
}

type overlaysOut struct {
	Overlays []overlayRecord `port:"overlays" doc:"Those that came, from the lowest to the highest."`
}

func (c *core) overlaysList() node.Node {
	return deferring(c, "media.overlays_list", "List of overlays", "overlays", func(w work, in overlaysIn) (overlaysOut, error) {
		var all []overlayRecord
		for _, o := range []*overlayRecord{in.Overlay1, in.Overlay2, in.Overlay3, in.Overlay4} {
			if o != nil {
				all = append(all, *o)
			}
		}
		all = append(all, in.More...)
		for i := range all {
			made, err := w.numbered(i).listed([]value.Media{all[i].Source})
			if err != nil {
				return overlaysOut{}, err
			}
			all[i].Source = made[0]
		}
		return overlaysOut{all}, nil
	}).Aliases("collect overlays", "ebenen sammeln").Doc("Makes a list of overlays. Ports for lists take several wires themselves.\n\nExample: wire `overlay1` and `overlay2`.")
}

// numbered returns the work for the i-th result of a node that makes several files.
func (w work) numbered(i int) work {
	w.part = i + 1
	return w
}

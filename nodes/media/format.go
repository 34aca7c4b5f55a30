package media

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Target is the format of a result.
type Target struct {
	Format string // the file name extension: mp4, mov, mkv, webm, wav, mp3, m4a, flac, ogg, opus, png, jpeg, webp, avif, gif
	// Codec of the picture: h264, hevc, av1, vp9, or copy and auto, which copy the source's
	// stream if nothing changes it; lossless keeps every pixel.
	Codec   string
	Bits    int    // bits per second of the picture; 0 means to use Quality
	Quality int    // for videos 0 to 51 as in x264, where smaller is better; for pictures 1 to 100, where larger is better
	Speed   string // fast, medium, slow
	// Bits and samples per second, and number of channels, of the sound.
	SoundBits, Samples, Channels int
	// Strip leaves out the metadata of sources.
	Strip bool
	Tags  map[string]string
	// Captions are added to a video as a subtitle track.
	Captions []Span
	// Once plays an animated picture a single time.
	Once bool
}

// kind returns the kind of a result: in picture formats, a video becomes a picture.
func (t Target) kind(f Facts) string {
	if t.moves(f) {
		return "image"
	}
	return f.Kind
}

// moves reports whether the result is an animated picture.
func (t Target) moves(f Facts) bool {
	return f.Kind == "video" && (t.Format == "gif" || t.Format == "webp")
}

// moving returns the options for an animated picture.
func (t Target) moving() []string {
	if t.Format == "gif" {
		return []string{"-c:v", "gif", "-loop", map[bool]string{false: "0", true: "-1"}[t.Once]}
	}
	return []string{"-c:v", "libwebp_anim", "-quality", strconv.Itoa(t.Quality), "-loop", map[bool]string{false: "0", true: "1"}[t.Once]}
}

// captions returns the options for captions, whose input follows those of the command.
func (t Target) captions(c *Command) []string {
	if len(t.Captions) == 0 {
		return nil
	}
	codec := map[string]string{"mkv": "subrip", "webm": "copy"}[t.Format]
	return []string{"-map", strconv.Itoa(len(c.Inputs)) + ":s:0", "-c:s", cmp.Or(codec, "mov_text")}
}

// Interim is the default target: no visible or audible loss, and playable everywhere.
func Interim(f Facts) Target {
	switch f.Kind {
	case "image":
		return Target{Format: "png"}
	case "audio":
		return Target{Format: "flac"}
	}
	return Target{Format: "mp4", Codec: "auto", Quality: 18, Speed: "fast", SoundBits: 192_000}
}

// Lossless is a target without any loss.
func Lossless(f Facts) Target {
	t := Interim(f)
	if f.Kind == "video" {
		t.Format, t.Codec = "mkv", "lossless"
	}
	return t
}

// FormatOf returns the format of a file name extension, "" if unknown.
func FormatOf(name, kind string) string {
	ending := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	switch ending {
	case "m4v":
		ending = "mp4"
	case "jpg":
		ending = "jpeg"
	}
	if slices.Contains(formatsOf(kind), ending) {
		return ending
	}
	return ""
}

func formatsOf(kind string) []string {
	switch kind {
	case "video":
		return []string{"mp4", "mov", "mkv", "webm"}
	case "audio":
		return []string{"wav", "mp3", "m4a", "aac", "flac", "ogg", "opus"}
	}
	return []string{"png", "jpeg", "webp", "avif", "gif"}
}

// MIME returns the type of a format.
func (t Target) MIME(kind string) string {
	switch t.Format {
	case "mov":
		return "video/quicktime"
	case "mkv":
		return "video/x-matroska"
	case "mp3":
		return "audio/mpeg"
	case "m4a":
		return "audio/mp4"
	case "opus":
		return "audio/ogg"
	}
	return kind + "/" + t.Format
}

// muxer returns ffmpeg's name of a format.
func (t Target) muxer() []string {
	switch t.Format {
	case "mp4", "mov":
		return []string{"-movflags", "+faststart", "-f", t.Format}
	case "m4a":
		return []string{"-movflags", "+faststart", "-f", "ipod"}
	case "aac":
		return []string{"-f", "adts"}
	case "mkv":
		return []string{"-f", "matroska"}
	case "png", "jpeg", "webp":
		return []string{"-frames:v", "1", "-f", "image2pipe"}
	}
	return []string{"-f", t.Format}
}

// Options returns the options of ffmpeg that write the result of a command.
func (t Target) Options(c *Command, r *Recipe, threads int) []string {
	var args []string
	if c.Picture != "" {
		args = append(append(args, "-map", c.Picture), t.picture(c, r, threads)...)
	}
	if c.Sound != "" {
		args = append(append(args, "-map", c.Sound), t.sound(c, r)...)
	}
	args = append(args, t.captions(c)...)
	if t.Strip {
		args = append(args, "-map_metadata", "-1")
	}
	if t.Strip || len(r.Steps) > 0 {
		args = append(args, "-map_chapters", "-1")
	}
	for _, name := range slices.Sorted(maps.Keys(t.Tags)) {
		args = append(args, "-metadata", name+"="+t.Tags[name])
	}
	if t.moves(c.Facts) {
		return append(args, "-f", t.Format)
	}
	return append(args, t.muxer()...)
}

func (t Target) picture(c *Command, r *Recipe, threads int) []string {
	if c.Facts.Kind == "image" {
		return t.still()
	}
	if t.moves(c.Facts) {
		return t.moving()
	}
	codec := t.Codec
	if codec == "copy" || codec == "auto" {
		if s := untouched(c.Picture, c, r); s != nil && t.holds(s.Picture) {
			return []string{"-c:v", "copy"}
		}
		codec = t.usual()
	}
	args := append(t.encoder(codec), "-threads", strconv.Itoa(threads))
	if codec == "lossless" {
		return args
	}
	if t.Bits > 0 {
		return append(args, "-b:v", strconv.Itoa(t.Bits), "-maxrate", strconv.Itoa(t.Bits*3/2), "-bufsize", strconv.Itoa(t.Bits*2))
	}
	args = append(args, "-crf", strconv.Itoa(t.Quality))
	if codec == "vp9" || codec == "av1" {
		args = append(args, "-b:v", "0")
	}
	return args
}

// usual returns the default codec of a format.
func (t Target) usual() string {
	if t.Format == "webm" {
		return "vp9"
	}
	return "h264"
}

// untouched returns the source whose stream is copied into the result; nil if a step changes
// it.
func untouched(stream string, c *Command, r *Recipe) *Source {
	at, _, ok := strings.Cut(stream, ":")
	i, err := strconv.Atoi(at)
	if !ok || err != nil || len(c.Inputs[i].Options) > 0 { // a copy would cut at key frames only
		return nil
	}
	return &r.Sources[c.Inputs[i].Source]
}

// holds reports whether players expect a codec in a format.
func (t Target) holds(codec string) bool {
	switch t.Format {
	case "mp4", "mov":
		return slices.Contains([]string{"h264", "hevc", "av1", "mpeg4"}, codec)
	case "webm":
		return slices.Contains([]string{"vp8", "vp9", "av1"}, codec)
	}
	return codec != "" && t.Format == "mkv"
}

func (t Target) encoder(codec string) []string {
	preset, vp9, av1 := "medium", "3", "8"
	switch t.Speed {
	case "fast":
		preset, vp9, av1 = "veryfast", "5", "10"
	case "slow":
		preset, vp9, av1 = "slow", "1", "5"
	}
	switch codec {
	case "lossless":
		if t.Format == "mov" {
			return []string{"-c:v", "libx264", "-preset", "ultrafast", "-qp", "0"}
		}
		return []string{"-c:v", "ffv1", "-level", "3"}
	case "hevc":
		return []string{"-c:v", "libx265", "-preset", preset, "-pix_fmt", "yuv420p", "-tag:v", "hvc1", "-x265-params", "log-level=error"}
	case "vp9":
		return []string{"-c:v", "libvpx-vp9", "-deadline", "good", "-cpu-used", vp9, "-row-mt", "1", "-pix_fmt", "yuv420p"}
	case "av1":
		return []string{"-c:v", "libsvtav1", "-preset", av1, "-pix_fmt", "yuv420p"}
	}
	return []string{"-c:v", "libx264", "-preset", preset, "-pix_fmt", "yuv420p"}
}

// still returns the options for a still picture.
func (t Target) still() []string {
	switch t.Format {
	case "jpeg":
		return []string{"-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "-q:v", strconv.Itoa(max(1, min(31, 31-t.Quality*30/100)))}
	case "webp":
		return []string{"-c:v", "libwebp", "-quality", strconv.Itoa(t.Quality)}
	case "avif":
		return []string{"-c:v", "libaom-av1", "-still-picture", "1", "-cpu-used", "6", "-crf", strconv.Itoa(max(1, 63-t.Quality*63/100)), "-pix_fmt", "yuv420p"}
	case "gif":
		return []string{"-c:v", "gif"}
	}
	return []string{"-c:v", "png"}
}

func (t Target) sound(c *Command, r *Recipe) []string {
	codec := t.soundCodec()
	s := untouched(c.Sound, c, r)
	if s != nil && s.Sound == codec && t.Samples == 0 && t.Channels == 0 && (s.Bits == 0 || t.SoundBits == 0 || s.Bits <= t.SoundBits*11/10 || t.Codec == "copy") {
		return []string{"-c:a", "copy"}
	}
	if s != nil && t.Codec == "copy" && (t.Format == "mkv" || t.Format == "mp4" && (s.Sound == "mp3" || s.Sound == "ac3")) {
		return []string{"-c:a", "copy"}
	}
	args := []string{"-c:a", map[string]string{"aac": "aac", "opus": "libopus", "mp3": "libmp3lame", "vorbis": "libvorbis", "flac": "flac", "pcm": "pcm_s16le"}[codec]}
	if t.SoundBits > 0 && codec != "flac" && codec != "pcm" {
		args = append(args, "-b:a", strconv.Itoa(t.SoundBits))
	}
	if t.Samples > 0 && codec != "opus" {
		args = append(args, "-ar", strconv.Itoa(t.Samples))
	}
	if t.Channels > 0 {
		args = append(args, "-ac", strconv.Itoa(t.Channels))
	}
	return args
}

func (t Target) soundCodec() string {
	switch t.Format {
	case "webm", "opus":
		return "opus"
	case "mp3":
		return "mp3"
	case "ogg":
		return "vorbis"
	case "flac":
		return "flac"
	case "wav":
		return "pcm"
	}
	switch {
	case t.Codec == "lossless" && t.Format == "mkv":
		return "flac"
	case t.Codec == "lossless":
		return "pcm"
	}
	return "aac"
}

// fitsCodec crops pictures to an even size, for codecs that require it.
func fitsCodec(f Facts, t Target) []string {
	if f.Kind != "video" || t.moves(f) || t.Codec == "lossless" || f.Width%2 == 0 && f.Height%2 == 0 {
		return nil
	}
	return []string{fmt.Sprintf("crop=w=%d:h=%d:x=0:y=0:exact=1", max(2, f.Width/2*2), max(2, f.Height/2*2))}
}

package media

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/svcflow/svc/engine/node"
)

type probeKey struct {
	path       string
	size, time int64
}

// probed is the JSON output of ffprobe.
type probed struct {
	Streams []struct {
		Type     string            `json:"codec_type"`
		Codec    string            `json:"codec_name"`
		Width    int               `json:"width"`
		Height   int               `json:"height"`
		Pixels   string            `json:"pix_fmt"`
		Aspect   string            `json:"sample_aspect_ratio"`
		Average  string            `json:"avg_frame_rate"`
		Real     string            `json:"r_frame_rate"`
		Duration string            `json:"duration"`
		Start    string            `json:"start_time"`
		Frames   string            `json:"nb_frames"`
		Samples  string            `json:"sample_rate"`
		Channels int               `json:"channels"`
		Bits     string            `json:"bit_rate"`
		Tags     map[string]string `json:"tags"`
		Extra    []struct {
			Rotation float64 `json:"rotation"`
		} `json:"side_data_list"`
		Disposition struct {
			Cover int `json:"attached_pic"`
		} `json:"disposition"`
	} `json:"streams"`
	Chapters []struct {
		Start string `json:"start_time"`
		End   string `json:"end_time"`
		Tags  struct {
			Title string `json:"title"`
		} `json:"tags"`
	} `json:"chapters"`
	Frames []struct {
		Tags struct {
			Orientation string `json:"Orientation"`
		} `json:"tags"`
	} `json:"frames"`
	Format struct {
		Name     string            `json:"format_name"`
		Duration string            `json:"duration"`
		Tags     map[string]string `json:"tags"`
	} `json:"format"`
}

// Probe inspects a file. kind is the required kind: video, image, audio, or "" for any.
func (t *Tools) Probe(ctx context.Context, path, kind string) (Source, error) {
	if err := t.configured(); err != nil {
		return Source{}, err
	}
	f, s, err := t.open(ctx, path)
	if err != nil {
		return Source{}, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	key := probeKey{s.Path, s.Size, s.Time}
	p, known := t.probes.Get(key)
	if !known {
		if p, err = t.look(ctx, s.Path, f); err != nil {
			return Source{}, err
		}
		t.probes.Add(key, p)
	}
	return s, p.fill(&s, kind)
}

// look runs ffprobe.
func (t *Tools) look(ctx context.Context, name string, f *os.File) (probed, error) {
	release, err := t.looks.take(ctx)
	if err != nil {
		return probed{}, err
	}
	defer release()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	d, err := newDesk(t.Scratch)
	if err != nil {
		return probed{}, node.Errorf(node.CodeStorageFull, "there is no place for work files: %w", errors.Unwrap(err))
	}
	defer d.clear()
	var out bytes.Buffer
	p := process{
		program: t.ffprobe, dir: d.dir, files: []*os.File{f}, stdout: &out, limits: lookLimits(),
		args: append(append([]string{"-hide_banner", "-loglevel", "level+error"}, readOptions()...), "-of", "json",
			"-show_entries", "stream=codec_type,codec_name,width,height,pix_fmt,sample_aspect_ratio,avg_frame_rate,r_frame_rate,duration,start_time,nb_frames,"+
				"sample_rate,channels,bit_rate:stream_tags=language,DURATION:stream_side_data=rotation:stream_disposition=attached_pic:format=format_name,duration:format_tags:chapter=start_time,end_time:chapter_tags=title",
			descriptor(0, f)),
	}
	var got probed
	err = p.run(ctx)
	var wrong *failed
	switch {
	case errors.As(err, &wrong):
		return got, coded(codeUnreadable, "%q is no video, sound or picture in a format that is read here: %s", name, strings.TrimPrefix(telling(cleaned(wrong.stderr)), "the file: "))
	case err != nil:
		return got, err
	}
	if err = parseProbe(out.Bytes(), &got); err != nil || got.Format.Name != "jpeg_pipe" {
		return got, err
	}
	// Only frames have the camera's orientation.
	out.Reset()
	p.args = append(append([]string{"-hide_banner", "-loglevel", "level+error"}, readOptions()...), "-of", "json", "-read_intervals", "%+#1",
		"-show_entries", "frame_tags=Orientation", descriptor(0, f))
	if err = p.run(ctx); err != nil {
		return got, wording(&Recipe{}, err)
	}
	return got, parseProbe(out.Bytes(), &got)
}

func parseProbe(text []byte, p *probed) error {
	if err := json.Unmarshal(text, p); err != nil {
		return coded(codeUnreadable, "what ffprobe says of the file cannot be understood")
	}
	return nil
}

// fill sets the facts of a file of the given kind.
func (p *probed) fill(s *Source, kind string) error {
	picture, sound := p.first("video"), p.first("audio")
	still := picture >= 0 && p.still()
	if kind == "" {
		switch {
		case picture < 0:
			kind = "audio"
		case still:
			kind = "image"
		default:
			kind = "video"
		}
	}
	switch {
	case kind == "audio" && sound < 0:
		return coded(codeNoAudio, "%q has no sound", s.Path)
	case kind != "audio" && picture < 0, kind == "video" && still:
		return coded(codeNoVideo, "%q has no moving picture", s.Path)
	}
	s.Facts = Facts{Kind: kind}
	if kind != "audio" {
		p.fillPicture(s, picture)
	}
	if sound >= 0 && kind != "image" {
		p.fillSound(s, sound)
	}
	if err := s.check(); err != nil {
		var known *node.Error
		if errors.As(err, &known) && known.Code == node.CodeLimitExceeded {
			return err
		}
		return coded(codeUnreadable, "%q tells neither its size nor how long it is, as far as it can be read", s.Path)
	}
	return nil
}

// first returns the first stream of a type that is not cover art, or -1.
func (p *probed) first(typ string) int {
	for i := range p.Streams {
		if p.Streams[i].Type == typ && p.Streams[i].Disposition.Cover == 0 {
			return i
		}
	}
	return -1
}

// still reports whether the format is one for pictures.
func (p *probed) still() bool {
	return strings.HasSuffix(p.Format.Name, "_pipe") || p.Format.Name == "image2"
}

func (p *probed) fillPicture(s *Source, i int) {
	v := &p.Streams[i]
	f := &s.Facts
	f.Width, f.Height, s.Picture = v.Width, v.Height, v.Codec
	f.Alpha = strings.Contains(v.Pixels, "a") && (strings.HasPrefix(v.Pixels, "rgba") || strings.HasPrefix(v.Pixels, "bgra") || strings.HasPrefix(v.Pixels, "yuva") ||
		strings.HasPrefix(v.Pixels, "ya") || strings.HasPrefix(v.Pixels, "argb") || strings.HasPrefix(v.Pixels, "abgr") || strings.HasPrefix(v.Pixels, "pal"))
	if num, den := ratio(v.Aspect, ":"); num > 0 && num != den {
		f.Width, s.Stretch = even(float64(f.Width)*float64(num)/float64(den)), true
	}
	for _, e := range v.Extra {
		if turn := int(math.Round(-e.Rotation/90))*90%360 + 360; turn%360 != 0 {
			s.Turn = turn % 360
		}
	}
	if len(p.Frames) > 0 {
		s.Turn, s.Mirror = orientation(strings.TrimSpace(p.Frames[0].Tags.Orientation))
	}
	if s.Turn%180 != 0 {
		f.Width, f.Height = f.Height, f.Width
	}
	if f.Kind == "video" {
		p.fillRate(s, i)
	}
}

// orientation decodes an EXIF orientation: by how many degrees to turn the picture, and
// whether to mirror it afterwards.
func orientation(number string) (turn int, mirror bool) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > 8 {
		return 0, false
	}
	return [...]int{0, 0, 180, 180, 90, 90, 270, 270}[n-1], n == 2 || n == 4 || n == 5 || n == 7
}

func (p *probed) fillRate(s *Source, i int) {
	v, f := &p.Streams[i], &s.Facts
	average, real := rateOf(v.Average), rateOf(v.Real)
	switch {
	case real.Float() >= 0.01 && real.Float() <= maxRate && (average.Num == 0 || math.Abs(real.Float()/average.Float()-1) < 2e-3):
		f.Rate = real
	case average.Float() >= 0.01 && average.Float() <= maxRate:
		f.Rate, s.Variable = RateOf(math.Round(average.Float()*1000)/1000), true
	default:
		f.Rate, s.Variable = Rate{25, 1}, true
	}
	duration := seconds(v.Duration)
	if n, err := strconv.Atoi(v.Frames); err == nil && n > 0 && !s.Variable {
		duration = f.at(n)
	}
	if duration <= 0 {
		duration = clock(v.Tags["DURATION"])
	}
	if duration <= 0 {
		duration = seconds(p.Format.Duration)
	}
	f.Duration = f.at(max(1, f.frame(duration)))
}

func (p *probed) fillSound(s *Source, i int) {
	a, f := &p.Streams[i], &s.Facts
	s.Sound, f.Channels = a.Codec, a.Channels
	f.Samples, _ = strconv.Atoi(a.Samples)
	s.Bits, _ = strconv.Atoi(a.Bits)
	duration := seconds(a.Duration)
	if duration <= 0 {
		duration = clock(a.Tags["DURATION"])
	}
	if duration <= 0 {
		duration = seconds(p.Format.Duration)
	}
	if f.Kind == "audio" {
		f.Duration = duration
		return
	}
	f.Sound = true
	if duration > 0 && duration < f.Duration {
		f.Lasting = duration
	}
}

func rateOf(text string) Rate {
	num, den := ratio(text, "/")
	if num <= 0 || den <= 0 {
		return Rate{}
	}
	return Rate{num, den}
}

func ratio(text, between string) (a, b int) {
	x, y, _ := strings.Cut(text, between)
	a, errA := strconv.Atoi(x)
	b, errB := strconv.Atoi(y)
	if errA != nil || errB != nil || b == 0 {
		return 0, 0
	}
	return a, b
}

// clock parses a time such as 00:01:02.500000000, the format in Matroska files.
func clock(text string) float64 {
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return 0
	}
	return seconds(parts[0])*3600 + seconds(parts[1])*60 + seconds(parts[2])
}

func seconds(text string) float64 {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || f < 0 {
		return 0
	}
	return f
}

package media

import "math"

// Source is a file that a recipe is made of, as it was when it was looked at.
type Source struct {
	Path  string `json:"path"`
	Size  int64  `json:"size"`
	Time  int64  `json:"time"` // of its last change, in microseconds
	Facts Facts  `json:"facts"`
	// Turn is by how many degrees the pictures in the file have to be turned clockwise, and
	// Mirror, whether they have to be mirrored after that. Facts are those of the upright picture.
	Turn   int  `json:"turn,omitempty"`
	Mirror bool `json:"mirror,omitempty"`
	// Stretch says that the pixels in the file are no squares.
	Stretch bool `json:"stretch,omitempty"`
	// Variable says that the frames in the file do not come at a constant rate.
	Variable bool `json:"variable,omitempty"`
	// Stream is which of several sounds counts.
	Stream  int    `json:"stream,omitempty"`
	Picture string `json:"picture,omitempty"` // codecs
	Sound   string `json:"sound,omitempty"`
	Bits    int    `json:"bits,omitempty"` // of sound, a second
}

func (s *Source) check() error {
	f := s.Facts
	known := f.Kind == "video" && f.Rate.Num > 0 && f.Rate.Den > 0 && f.Rate.Num < 1e8 && f.Rate.Den < 1e8 &&
		f.Rate.Float() <= maxRate && f.Rate.Float() >= 0.01 || f.Kind == "audio" || f.Kind == "image"
	sized := f.Kind == "audio" || f.Width > 0 && f.Height > 0
	timed := f.Duration >= 0 && !math.IsNaN(f.Duration)
	if !known || !sized || !timed || s.Path == "" || s.Stream < 0 || s.Stream > 1000 || s.Turn%90 != 0 || s.Turn < 0 || s.Turn > 270 {
		return malformed("it has a source of which it tells what cannot be")
	}
	return f.check()
}

// upright returns the filters that make pictures upright, with square pixels, and videos of
// a constant rate.
func (s *Source) upright() (filters []string) {
	switch s.Turn {
	case 90:
		filters = append(filters, "transpose=clock")
	case 180:
		filters = append(filters, "hflip", "vflip")
	case 270:
		filters = append(filters, "transpose=cclock")
	}
	if s.Mirror {
		filters = append(filters, "hflip")
	}
	if s.Stretch {
		filters = append(filters, scale("scale", s.Facts.Width, s.Facts.Height)...)
	}
	if s.Variable {
		filters = append(filters, "fps="+s.Facts.Rate.String()+":start_time=0")
	}
	return filters
}

// untouched reports whether pictures go through as they are in the file.
func (s *Source) untouched() bool { return len(s.upright()) == 0 }

package media

import (
	"cmp"
	"context"
	"io"
	"math"
	"os"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/folder"
)

// Source is a file that a recipe reads, with the properties that were probed.
type Source struct {
	Path  string `json:"path"`
	Size  int64  `json:"size"`
	Time  int64  `json:"time"` // of modification, in microseconds
	Facts Facts  `json:"facts"`
	// Turn is the clockwise rotation in degrees that makes the picture upright, and Mirror
	// whether to mirror it afterwards. Facts describe the upright picture.
	Turn   int  `json:"turn,omitempty"`
	Mirror bool `json:"mirror,omitempty"`
	// Stretch is set if the pixels are not square.
	Stretch bool `json:"stretch,omitempty"`
	// Variable is set if the frame rate is not constant.
	Variable bool `json:"variable,omitempty"`
	// Stream is the number of the audio stream to use.
	Stream  int    `json:"stream,omitempty"`
	Picture string `json:"picture,omitempty"` // codecs
	Sound   string `json:"sound,omitempty"`
	Bits    int    `json:"bits,omitempty"` // of sound, per second
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

// upright returns the filters that make pictures upright, with square pixels, and videos
// have a constant frame rate.
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

// untouched reports whether pictures are used as they are in the file.
func (s *Source) untouched() bool { return len(s.upright()) == 0 }

// disk returns the files that a run's nodes read and write.
func (t *Tools) disk(ctx context.Context) folder.Disk { return folder.Disk{Files: t.Files}.In(ctx) }

// open opens a regular file, and returns its size and modification time.
func (t *Tools) open(ctx context.Context, name string) (*os.File, Source, error) {
	d := t.disk(ctx)
	clean, err := d.Clean(name)
	if err != nil {
		return nil, Source{}, err
	}
	f, info, err := d.Open(clean, os.O_RDONLY, 0)
	if err != nil {
		return nil, Source{}, d.Failed(clean, err)
	}
	return f, Source{Path: clean, Size: info.Size(), Time: info.ModTime().UnixMicro()}, nil
}

// openAs opens the file of a source. It returns an error if the file has changed since it
// was probed.
func (t *Tools) openAs(ctx context.Context, s *Source) (*os.File, error) {
	f, now, err := t.open(ctx, s.Path)
	if err != nil {
		return nil, err
	}
	if now.Size != s.Size || now.Time != s.Time {
		_ = f.Close() // opened for reading only
		return nil, coded(codeChanged, "%q has changed since the run looked at it; run the workflow again from the node that imports it", s.Path)
	}
	return f, nil
}

// save writes the content of r to the file called name. The file is complete or does not
// exist.
func (t *Tools) save(ctx context.Context, name string, r io.Reader) error {
	_, err := t.disk(ctx).Save(name, func(w io.Writer) error {
		_, err := io.Copy(w, r)
		return err
	})
	return err
}

// Place returns the name for a file: the requested one, or a new one among the files of the
// run.
func (t *Tools) Place(ctx context.Context, asked, ending string) (string, error) {
	if t.Files == nil {
		return "", node.Errorf(node.CodeForbidden, "workflows may not use files here")
	}
	if asked != "" {
		return t.disk(ctx).Clean(asked)
	}
	w := node.WorkspaceOf(ctx)
	if w == nil { // outside a server
		run, _, _ := strings.Cut(node.Key(ctx), "/")
		w = node.NewWorkspace(cmp.Or(run, "none"))
	}
	return t.disk(ctx).Clean(w.File(ctx, "."+ending))
}

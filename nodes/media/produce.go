package media

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/node"
)

func (d *desk) path(name string) string { return filepath.Join(d.dir, name) }

// produce runs a command that writes files into its work folder, as args say, and hands them
// to keep.
func (t *Tools) produce(ctx context.Context, c *Command, r *Recipe, args []string, keep func(*desk) error) error {
	if err := t.filters(c.Graph, r); err != nil {
		return err
	}
	release, err := t.renders.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	d, err := newDesk(t.Scratch)
	if err != nil {
		return node.Errorf(node.CodeStorageFull, "there is no place for work files: %w", errors.Unwrap(err))
	}
	defer d.clear()
	if err := t.fill(ctx, d, c, r, args); err != nil {
		return wording(r, err)
	}
	return keep(d)
}

// fill runs ffmpeg in a work folder.
func (t *Tools) fill(ctx context.Context, d *desk, c *Command, r *Recipe, args []string) error {
	return t.run(ctx, d, c, r, "making the files", nil, func(given []*os.File) ([]string, error) {
		inputs, err := t.reading(d, c, given)
		return append(inputs, args...), err
	})
}

// keepAs makes a work file the file name.
func (t *Tools) keepAs(ctx context.Context, d *desk, from, name string) (int64, error) {
	f, err := os.Open(d.path(from))
	if err != nil {
		return 0, err
	}
	defer f.Close() //nolint:errcheck // is only read
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), t.save(ctx, name, f)
}

// behind puts filters behind the picture of a command.
func (c *Command) behind(filters string) {
	from := c.Picture
	if from[0] != '[' {
		from = "[" + from + "]"
	}
	if c.Graph != "" {
		c.Graph += ";"
	}
	c.Graph += from + filters
}

// seen returns the command for the picture of a recipe alone.
func seen(r *Recipe) (Recipe, *Command, error) {
	only := *r
	if r.Facts.Sound {
		var err error
		if only, err = Then(Step{Op: "mute"}, *r); err != nil {
			return only, nil, err
		}
	}
	c, err := Plan(&only, Lossless(only.Facts))
	return only, c, err
}

// Frames makes pictures of some frames of a video, as wide as asked for, and returns their
// files, whose names are asked for one by one.
func (t *Tools) Frames(ctx context.Context, r *Recipe, frames []int, width, height int, name func(i int) (string, error)) ([]Result, error) {
	if err := t.configured(); err != nil {
		return nil, err
	}
	only, c, err := seen(r)
	if err != nil {
		return nil, err
	}
	which := make([]string, len(frames))
	for i, n := range frames {
		which[i] = `eq(n\,` + strconv.Itoa(n) + ")"
	}
	c.behind("select=" + strings.Join(which, "+") + "," + strings.Join(scale("scale", width, height), ",") + "[frames]")
	args := []string{"-map", "[frames]", "-fps_mode", "passthrough", "-frames:v", strconv.Itoa(len(frames)), "-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "-q:v", "2", "-f", "image2", "f%d.jpg"}
	var made []Result
	err = t.produce(ctx, c, &only, args, func(d *desk) error {
		for i := range frames {
			from := fmt.Sprintf("f%d.jpg", i+1)
			if _, err := os.Stat(d.path(from)); err != nil {
				return nil // the file has fewer frames than it tells
			}
			to, err := name(i)
			if err != nil {
				return err
			}
			size, err := t.keepAs(ctx, d, from, to)
			if err != nil {
				return err
			}
			made = append(made, result(to, Target{Format: "jpeg"}, Facts{Kind: "image", Width: width, Height: height}, size))
		}
		return nil
	})
	return made, err
}

// Cuts returns when the picture of a video becomes another one, in seconds, each with a frame.
func (t *Tools) Cuts(ctx context.Context, r *Recipe, threshold float64) ([]float64, error) {
	switch {
	case r.Facts.Kind != "video":
		return nil, refused("scenes are found in a video")
	case !(threshold > 0 && threshold <= 1):
		return nil, refused("threshold is more than 0 and at most 1")
	}
	only := *r
	if r.Facts.Sound {
		var err error
		if only, err = Then(Step{Op: "mute"}, *r); err != nil {
			return nil, err
		}
	}
	said, err := t.analyse(ctx, &only, `select=gt(scene\,`+num(threshold)+"),metadata=print")
	if err != nil {
		return nil, err
	}
	return parseCuts(said, r.Facts), nil
}

// parseCuts reads what metadata says of frames.
func parseCuts(said string, f Facts) []float64 {
	var cuts []float64
	for _, m := range regexp.MustCompile(`pts_time:([0-9.]+)`).FindAllStringSubmatch(said, -1) {
		at, err := strconv.ParseFloat(m[1], 64)
		if n := f.frame(min(at, maxSeconds)); err == nil && n > 0 && n < f.Frames() {
			cuts = append(cuts, f.at(n))
		}
	}
	slices.Sort(cuts)
	return slices.Compact(cuts)
}

package media

import (
	"context"
	"errors"
	"os"
	"sync"

	"github.com/svcflow/svc/engine/node"
)

// analyse runs a recipe through one more filter, keeps nothing, and returns what the filter
// says on the way.
func (t *Tools) analyse(ctx context.Context, r *Recipe, filter string) (string, error) {
	if err := t.configured(); err != nil {
		return "", err
	}
	c, err := Plan(r, Lossless(r.Facts))
	if err != nil {
		return "", err
	}
	if err := t.filters(c.Graph+";"+filter, r); err != nil {
		return "", err
	}
	release, err := t.renders.take(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	d, err := newDesk(t.Scratch)
	if err != nil {
		return "", node.Errorf(node.CodeStorageFull, "there is no place for work files: %w", errors.Unwrap(err))
	}
	defer d.clear()
	said, err := t.say(ctx, d, c, r, filter)
	if err != nil {
		return "", wording(r, err)
	}
	return said, nil
}

// say puts the filter behind all others.
func (t *Tools) say(ctx context.Context, d *desk, c *Command, r *Recipe, filter string) (string, error) {
	from, told, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer from.Close() //nolint:errcheck // is only read
	files, err := t.sources(ctx, c, r)
	defer closeAll(files)
	if err != nil {
		_ = told.Close()
		return "", err
	}
	at := &c.Sound
	if c.Facts.Kind != "audio" {
		at = &c.Picture
	}
	chain := *at
	if chain[0] != '[' {
		chain = "[" + chain + "]"
	}
	if c.Graph != "" {
		c.Graph += ";"
	}
	c.Graph += chain + filter + "[said]"
	*at = "[said]"
	given := append([]*os.File{told}, files...)
	p := process{program: t.ffmpeg, dir: d.dir, files: given, limits: renderLimits(), keep: 8 << 20}
	if p.args, err = t.reading(d, c, given); err != nil {
		_ = told.Close()
		return "", err
	}
	p.args[4] = "level+info"
	p.args = append(p.args, "-map", "[said]", "-f", "null", "-")
	var following sync.WaitGroup
	following.Go(func() { follow(ctx, from, c.Facts.Duration, "looking at it") })
	err = p.run(ctx)
	_ = told.Close() // the last one who could write
	following.Wait()
	return p.said, err
}

package media

import (
	"context"
	"sync"
	"time"

	"github.com/svcflow/svc/engine/node"
)

// tally counts what was made, and how long that took.
type tally struct {
	mu                      sync.Mutex
	made, failed, cancelled int
	media, took             float64 // seconds, of what was made
}

// ended counts a process that was to make so many seconds of media.
func (t *tally) ended(ctx context.Context, err error, seconds float64, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case err == nil:
		t.made++
		t.media += seconds
		t.took += took.Seconds()
	case ctx.Err() != nil:
		t.cancelled++
	default:
		t.failed++
	}
}

// Figures implements [node.Measured].
func (t *Tools) Figures() []node.Figure {
	const renders, what = "svc_media_renders_total", "Files of media that were made, could not be made, or were cancelled."
	running, waiting := t.renders.load()
	looking, queued := t.looks.load()
	c := &t.tally
	c.mu.Lock()
	defer c.mu.Unlock()
	return []node.Figure{
		{Name: renders, Help: what, Label: "outcome", Is: "made", Value: float64(c.made)},
		{Name: renders, Help: what, Label: "outcome", Is: "failed", Value: float64(c.failed)},
		{Name: renders, Help: what, Label: "outcome", Is: "cancelled", Value: float64(c.cancelled)},
		{Name: "svc_media_running", Help: "Programs that make or look at media.", Value: float64(running + looking)},
		{Name: "svc_media_waiting", Help: "Nodes that wait for a place to make or look at media.", Value: float64(waiting + queued)},
		{Name: "svc_media_made_seconds_total", Help: "Seconds of video and sound that were made.", Value: c.media},
		{Name: "svc_media_render_seconds_total", Help: "Seconds that this took.", Value: c.took},
	}
}

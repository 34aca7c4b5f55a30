package runlog

import (
	"context"
	"fmt"

	"github.com/svcflow/svc/store/internal/runtext"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

// Outline implements [RunStore]. Runs of the same workflow have the same one, so that not each
// of thousands that are brought to their ends reads it.
func (s *Store) Outline(ctx context.Context, runID string) (outline *workflow.Definition, err error) {
	err = s.read(ctx, runID, func(r *reader) error {
		digest := r.entry.Content.document.digest
		if outline = s.outline(digest); outline != nil {
			return nil
		}
		document, err := r.document(runtext.FormatDigest(digest))
		if err != nil {
			return err
		}
		if outline, err = runtext.OutlineOf(document); err != nil {
			return fmt.Errorf("%w: %w", runtext.ErrLine, err)
		}
		s.index.Mu.Lock()
		defer s.index.Mu.Unlock()
		s.outlines.put(digest, outline)
		return nil
	})
	return outline, err
}

func (s *Store) outline(d run.Digest) *workflow.Definition {
	s.index.Mu.Lock()
	defer s.index.Mu.Unlock()
	return s.outlines.get(d)
}

// outlineCache has the outlines of workflows that were asked for last.
type outlineCache struct {
	lru *simplelru.LRU[run.Digest, *workflow.Definition] // with index.mu held
}

// outlinedNodes is up to how many nodes a workflow has whose outline is kept, of which there
// are no more than cachedOutlines.
const (
	cachedOutlines = 64
	outlinedNodes  = 1000
)

func (c *outlineCache) get(d run.Digest) *workflow.Definition {
	if c.lru == nil {
		return nil
	}
	outline, _ := c.lru.Get(d)
	return outline
}

func (c *outlineCache) put(d run.Digest, outline *workflow.Definition) {
	if len(outline.Nodes) > outlinedNodes {
		return
	}
	if c.lru == nil {
		c.lru, _ = simplelru.NewLRU[run.Digest, *workflow.Definition](cachedOutlines, nil) // the size is positive
	}
	c.lru.Add(d, outline)
}

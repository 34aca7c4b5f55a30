package mediacore

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/media"
)

// core is the state that all nodes share.
type core struct{ *media.Tools }

// work is one call of a node.
type work struct {
	*core

	ctx  context.Context
	lazy bool // the output may be a recipe
	part int  // number of the result, from 1, if the node makes several; else 0
}

// longest is the timeout of nodes that make files.
const longest = time.Hour

// deferring makes a node type of a function. Its output is a recipe if all nodes wired to it
// accept one, and a file otherwise.
func deferring[In, Out any](c *core, typ, label, output string, fn func(w work, in In) (Out, error)) node.Node {
	return node.FuncFor(typ, label, func(b node.Binding) (func(context.Context, In) (Out, error), []node.Problem) {
		lazy := b.Deferred != nil && b.Deferred(output) && !c.Eager()
		return func(ctx context.Context, in In) (Out, error) { return fn(work{core: c, ctx: ctx, lazy: lazy}, in) }, nil
	}).Timeout(longest)
}

// rendering makes a node type of a function that makes or reads a file.
func rendering[In, Out any](c *core, typ, label string, fn func(w work, in In) (Out, error)) node.Node {
	return node.Func(typ, label, func(ctx context.Context, in In) (Out, error) { return fn(work{core: c, ctx: ctx}, in) }).Timeout(longest)
}

// path returns the path of the node in its run.
func (w work) path() string {
	_, path, _ := strings.Cut(node.Key(w.ctx), "/")
	return path
}

// recipe returns the recipe of a media value.
func (w work) recipe(m value.Media) (media.Recipe, error) { return w.RecipeOf(w.ctx, m) }

// recipes returns the recipes of a list.
func (w work) recipes(list []value.Media) ([]media.Recipe, error) {
	if len(list) == 0 {
		return nil, node.Errorf(node.CodeInvalidInput, "the list is empty; wire at least one into it")
	}
	all := make([]media.Recipe, len(list))
	for i := range list {
		var err error
		if all[i], err = w.recipe(list[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// then appends a step to media values.
func (w work) then(s media.Step, on ...value.Media) (value.Media, media.Facts, error) {
	all := make([]media.Recipe, len(on))
	for i := range on {
		var err error
		if all[i], err = w.recipe(on[i]); err != nil {
			return value.Media{}, media.Facts{}, err
		}
	}
	return w.thenAll(s, all)
}

// steps appends several steps to one media value.
func (w work) steps(r media.Recipe, all ...media.Step) (media.Recipe, error) {
	for _, s := range all {
		s.Node = w.path()
		var err error
		if r, err = media.Then(s, r); err != nil {
			return r, err
		}
	}
	return r, nil
}

// stretched returns the step that resizes a picture without keeping its aspect ratio.
func stretched(width, height int) media.Step {
	return media.Step{
		Op: "resize", Numbers: map[string]float64{"width": float64(width), "height": float64(height)}, Words: map[string]string{"fit": "stretch", "background": "#000000"},
	}
}

func (w work) thenAll(s media.Step, on []media.Recipe) (value.Media, media.Facts, error) {
	s.Node = w.path()
	r, err := media.Then(s, on...)
	if err != nil {
		return value.Media{}, media.Facts{}, err
	}
	return w.give(r)
}

// give returns a recipe as a value, or the file that it makes. It makes a file also if the
// recipe is too long for a value, for example with many captions.
func (w work) give(r media.Recipe) (value.Media, media.Facts, error) {
	if w.lazy {
		if m, err := r.Media(); node.CodeOf(err) != node.CodeLimitExceeded {
			return m, r.Facts, err
		}
	}
	if m, ok := r.File(); ok {
		return m, r.Facts, nil
	}
	to := media.Interim(r.Facts)
	ending := to.Format
	if w.part > 0 {
		ending = strconv.Itoa(w.part) + "." + ending
	}
	name, err := w.Place(w.ctx, "", ending)
	if err != nil {
		return value.Media{}, media.Facts{}, err
	}
	made, err := w.Render(w.ctx, &r, to, name)
	return made.Media, r.Facts, err
}

// ms returns seconds in milliseconds.
func ms(seconds float64) float64 { return float64(int64(seconds*1e6+0.5)) / 1000 }

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func orZero(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

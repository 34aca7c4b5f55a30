package media

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// The limits of a recipe, in addition to [value.MaxRecipe].
const (
	maxSteps   = 200
	maxSources = 64
)

// Recipe describes how to make a file: by applying the steps, in order, to the sources. The
// result is that of the last step, or the only source.
type Recipe struct {
	Sources []Source `json:"sources,omitempty"`
	Steps   []Step   `json:"steps,omitempty"`
	Facts   Facts    `json:"facts"` // of the result
}

// Step is one operation. [Then] and [Parse] check its arguments.
type Step struct {
	Op string `json:"op"`
	// Node is the path of the node that added the step, for messages.
	Node string `json:"node,omitempty"`
	// In are the inputs of the step: the number of another step, or -1, -2, … for the
	// sources.
	In      []int              `json:"in,omitempty"`
	Numbers map[string]float64 `json:"numbers,omitempty"`
	Words   map[string]string  `json:"words,omitempty"` // choices and colours
	Text    string             `json:"text,omitempty"`
	Spans   []Span             `json:"spans,omitempty"`
}

// Span is a time span of a clip, in seconds, and optionally a text.
type Span struct {
	Start float64 `json:"start"`
	End   float64 `json:"end"`
	Text  string  `json:"text,omitempty"`
}

// Facts are the properties of a picture or sound, which are known before it is made.
type Facts struct {
	Kind     string  `json:"kind"`
	Width    int     `json:"width,omitempty"`
	Height   int     `json:"height,omitempty"`
	Rate     Rate    `json:"rate,omitzero"`       // frames per second, of videos
	Duration float64 `json:"duration,omitempty"`  // seconds
	Sound    bool    `json:"sound,omitempty"`     // whether a video has sound
	Samples  int     `json:"samples,omitempty"`   // per second
	Channels int     `json:"channels,omitempty"`  // of sound
	Alpha    bool    `json:"alpha,omitempty"`     // has transparency
	Lasting  float64 `json:"sound_end,omitempty"` // duration of the sound in seconds, if it ends before the picture
}

// Rate is a number of frames per second, as a fraction.
type Rate struct {
	Num int `json:"num"`
	Den int `json:"den"`
}

// Float returns the rate as a number; 0 if it is not set.
func (r Rate) Float() float64 {
	if r.Den <= 0 {
		return 0
	}
	return float64(r.Num) / float64(r.Den)
}

func (r Rate) String() string { return fmt.Sprintf("%d/%d", r.Num, r.Den) }

// RateOf returns a rate from a decimal number: an integer, an NTSC rate such as 29.97, or
// thousandths.
func RateOf(fps float64) Rate {
	if r := math.Round(fps); math.Abs(fps-r) < 1e-6 {
		return Rate{int(r), 1}
	}
	if r := math.Ceil(fps); math.Abs(fps-r*1000/1001) < 1e-3 {
		return Rate{int(r) * 1000, 1001}
	}
	return Rate{int(math.Round(fps * 1000)), 1000}
}

// Frames returns the number of frames of a video.
func (f Facts) Frames() int { return f.frame(f.Duration) }

// frame returns the number of the frame nearest to a time.
func (f Facts) frame(seconds float64) int { return int(math.Round(seconds * f.Rate.Float())) }

// at returns when a frame begins.
func (f Facts) at(frame int) float64 {
	return float64(frame) * float64(f.Rate.Den) / float64(f.Rate.Num)
}

// Of returns the recipe of an unchanged source.
func Of(s Source) Recipe { return Recipe{Sources: []Source{s}, Facts: s.Facts} }

// result returns the number of the result, as in [Step.In].
func (r *Recipe) result() int {
	if len(r.Steps) == 0 {
		return -1
	}
	return len(r.Steps) - 1
}

// Then returns the recipe that applies s to the results of other recipes, which are not
// modified. It returns an error if the step cannot work, and leaves out a step that changes
// nothing.
func Then(s Step, on ...Recipe) (Recipe, error) {
	var r Recipe
	if len(on) > 0 {
		r = on[0]
		r.Sources, r.Steps = slices.Clip(r.Sources), slices.Clip(r.Steps)
		s.In = []int{r.result()}
	}
	for i := range on[min(1, len(on)):] {
		s.In = append(s.In, r.merge(&on[i+1]))
	}
	o, err := s.check()
	if err != nil {
		return Recipe{}, err
	}
	facts := make([]Facts, len(on))
	for i := range on {
		facts[i] = on[i].Facts
	}
	if r.Facts, err = o.facts(&s, facts); err != nil {
		return Recipe{}, err
	}
	if o.idle != nil && o.idle(&s, facts[0]) && len(on) == 1 {
		return on[0], nil
	}
	r.Steps = append(r.Steps, s)
	return r, r.bound()
}

// merge adds the sources and steps of other that r does not have yet, and returns the
// number of other's result.
func (r *Recipe) merge(other *Recipe) int {
	sources, steps := make([]int, len(other.Sources)), make([]int, len(other.Steps))
	for i := range other.Sources {
		at := slices.Index(r.Sources, other.Sources[i])
		if at < 0 {
			at = len(r.Sources)
			r.Sources = append(r.Sources, other.Sources[i])
		}
		sources[i] = -1 - at
	}
	number := func(in int) int {
		if in < 0 {
			return sources[-1-in]
		}
		return steps[in]
	}
	for i := range other.Steps {
		s := other.Steps[i]
		s.In = slices.Clone(s.In)
		for k := range s.In {
			s.In[k] = number(s.In[k])
		}
		at := slices.IndexFunc(r.Steps, s.equal)
		if at < 0 {
			at = len(r.Steps)
			r.Steps = append(r.Steps, s)
		}
		steps[i] = at
	}
	return number(other.result())
}

func (r *Recipe) bound() error {
	if len(r.Steps) > maxSteps || len(r.Sources) > maxSources {
		return limited("this is made by more than %d steps or of more than %d files; render a part of it first, with media.render", maxSteps, maxSources)
	}
	return nil
}

// Media returns the media value of a recipe.
func (r *Recipe) Media() (value.Media, error) {
	text, err := json.Marshal(r, json.Deterministic(true))
	if err != nil {
		return value.Media{}, err
	}
	m, err := value.NewRecipe(r.Facts.Kind, r.Facts.Kind+"/x-svc-recipe", text)
	if err != nil {
		return value.Media{}, limited("the recipe is too long: %v; render a part of it first, with media.render", err)
	}
	return m, nil
}

// Parse parses a recipe from an untrusted source. It checks the limits, the operations and
// their arguments, and computes the facts again.
func Parse(text string) (Recipe, error) {
	var r Recipe
	if len(text) > value.MaxRecipe {
		return r, malformed("it has more than 64 KiB")
	}
	if err := json.Unmarshal([]byte(text), &r, json.RejectUnknownMembers(true)); err != nil {
		return Recipe{}, malformed("it is not of the form of one")
	}
	if err := r.bound(); err != nil {
		return Recipe{}, err
	}
	facts, err := r.work()
	if err != nil {
		return Recipe{}, err
	}
	if len(facts.steps) == 0 && len(r.Sources) != 1 {
		return Recipe{}, malformed("it makes nothing")
	}
	r.Facts = facts.of(r.result())
	return r, nil
}

func malformed(why string) error {
	return node.Errorf(node.CodeInvalidInput, "the recipe of the media value cannot be used: %s", why)
}

func limited(format string, args ...any) error {
	e := node.Errorf(node.CodeLimitExceeded, format, args...)
	e.Permanent = true
	return e
}

func refused(format string, args ...any) error {
	return node.Errorf(node.CodeInvalidInput, format, args...)
}

// worked holds the facts of all sources and steps of a recipe.
type worked struct {
	sources, steps []Facts
	ops            []op // by step
}

func (w *worked) of(in int) Facts {
	if in < 0 {
		return w.sources[-1-in]
	}
	return w.steps[in]
}

// work checks all steps and returns their facts.
func (r *Recipe) work() (*worked, error) {
	w := &worked{make([]Facts, len(r.Sources)), make([]Facts, len(r.Steps)), make([]op, len(r.Steps))}
	for i := range r.Sources {
		if err := r.Sources[i].check(); err != nil {
			return nil, err
		}
		w.sources[i] = r.Sources[i].Facts
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		facts := make([]Facts, len(s.In))
		for k, in := range s.In {
			if in >= i || in < -len(r.Sources) {
				return nil, malformed("a step works on what there is not")
			}
			facts[k] = w.of(in)
		}
		o, err := s.check()
		if err == nil {
			w.steps[i], err = o.facts(s, facts)
		}
		if err != nil {
			return nil, err
		}
		w.ops[i] = o
	}
	return w, nil
}

// File returns the media value of a source that is used unchanged; ok is false if something
// changes it.
func (r *Recipe) File() (m value.Media, ok bool) {
	if len(r.Steps) > 0 || !r.Sources[0].untouched() || r.Sources[0].Stream > 0 {
		return value.Media{}, false
	}
	s := &r.Sources[0]
	mime := s.Facts.Kind + "/x-unknown"
	if format := FormatOf(s.Path, s.Facts.Kind); format != "" {
		mime = Target{Format: format}.MIME(s.Facts.Kind)
	}
	return value.Media{Kind: s.Facts.Kind, MIME: mime, Path: s.Path}, true
}

package media

import (
	"strconv"
	"strings"
)

// Command is ffmpeg's work for a recipe: inputs, filter graph, and outputs of the graph. It
// does not include the format of the result.
type Command struct {
	Inputs []Input
	Texts  []string // the files t0.txt, t1.txt … that filters read
	Graph  string
	// Picture and Sound are the streams of the result: a stream of an input, such as 0:v:0,
	// if nothing changes it, or a label of the graph, such as [v1]. "" means none.
	Picture, Sound string
	Facts          Facts
}

// Input is a source with its input options.
type Input struct {
	Source  int
	Options []string
}

// Plan returns the command for a recipe whose result is written to a target. It starts no
// process and reads no file.
func Plan(r *Recipe, t Target) (*Command, error) {
	w, err := r.work()
	if err != nil {
		return nil, err
	}
	b := &builder{r: r, facts: w, taps: map[tap][]stream{}}
	if r.shares() {
		count := &builder{r: r, facts: w, asked: map[tap]int{}}
		count.build(t) // counts the users of each stream
		b.asked = count.asked
	}
	return b.build(t), nil
}

// shares reports whether several steps use one input, or one step uses it several times.
func (r *Recipe) shares() bool {
	seen := make([]bool, len(r.Sources)+len(r.Steps))
	for i := range r.Steps {
		for _, in := range r.Steps[i].In {
			at := in + len(r.Sources)
			if seen[at] {
				return true
			}
			seen[at] = true
		}
	}
	return false
}

// stream is a picture or sound in the graph: its origin, and the filters that are not yet
// part of the graph.
type stream struct {
	from    string
	filters []string
}

// then appends filters to a stream. The stream must have no other user.
func (s stream) then(filters ...string) stream {
	return stream{s.from, append(s.filters, filters...)}
}

// tap identifies the picture or the sound of a step or source.
type tap struct {
	in    int
	sound bool
}

// builder builds the graph from the result backwards, so that it has no unused filters. A
// stream with several users is split.
type builder struct {
	r      *Recipe
	facts  *worked
	asked  map[tap]int
	taps   map[tap][]stream // unused outputs of splits
	inputs []Input
	texts  []string
	graph  []string
	labels int
}

func (b *builder) build(t Target) *Command {
	out, c := b.r.result(), &Command{}
	c.Facts = b.facts.of(out)
	if c.Facts.Kind != "audio" {
		s := b.picture(out).then(fitsCodec(c.Facts, t)...)
		if t.Format == "gif" && t.moves(c.Facts) {
			s = b.palette(s)
		}
		c.Picture = b.end(s)
	}
	if c.Facts.hasSound() {
		c.Sound = b.end(b.sound(out))
	}
	c.Inputs, c.Texts, c.Graph = b.inputs, b.texts, strings.Join(b.graph, ";")
	return c
}

// palette reduces a picture to its best 256 colours.
func (b *builder) palette(s stream) stream {
	one, two := b.name(), b.name()
	b.graph = append(b.graph, "["+b.label(s)+"]split=2["+one+"]["+two+"]")
	colors := stream{from: one}.then("palettegen")
	return b.join("paletteuse=dither=bayer:bayer_scale=3:diff_mode=rectangle", stream{from: two}, colors)
}

func (f Facts) hasSound() bool { return f.Kind == "audio" || f.Sound }

// end returns the output of a stream that is part of the result.
func (b *builder) end(s stream) string {
	if len(s.filters) == 0 {
		if strings.Contains(s.from, ":") {
			return s.from
		}
		return "[" + s.from + "]"
	}
	return "[" + b.label(s) + "]"
}

// label adds a stream to the graph and returns its label.
func (b *builder) label(s stream) string {
	if len(s.filters) == 0 {
		return s.from
	}
	name := b.name()
	from := ""
	if s.from != "" {
		from = "[" + s.from + "]"
	}
	b.graph = append(b.graph, from+strings.Join(s.filters, ",")+"["+name+"]")
	return name
}

func (b *builder) name() string {
	b.labels++
	return "s" + strconv.Itoa(b.labels)
}

// join adds a filter with several inputs to the graph.
func (b *builder) join(filter string, in ...stream) stream {
	var text strings.Builder
	for _, s := range in {
		text.WriteString("[" + b.label(s) + "]")
	}
	name := b.name()
	b.graph = append(b.graph, text.String()+filter+"["+name+"]")
	return stream{from: name}
}

func (b *builder) picture(in int) stream { return b.tap(tap{in, false}) }

func (b *builder) sound(in int) stream { return b.tap(tap{in, true}) }

func (b *builder) tap(t tap) stream {
	if b.taps == nil { // the first pass, which counts users
		if b.asked[t]++; b.asked[t] > 1 {
			return stream{from: "again"}
		}
		return b.make(t)
	}
	n := b.asked[t]
	if n <= 1 {
		return b.make(t)
	}
	left, made := b.taps[t]
	if !made {
		s := b.make(t)
		filter := "split="
		if t.sound {
			filter = "asplit="
		}
		var labels strings.Builder
		for range n {
			name := b.name()
			labels.WriteString("[" + name + "]")
			left = append(left, stream{from: name})
		}
		b.graph = append(b.graph, "["+b.label(s)+"]"+filter+strconv.Itoa(n)+labels.String())
	}
	b.taps[t] = left[1:]
	return left[0]
}

func (b *builder) make(t tap) stream {
	if t.in < 0 {
		return b.source(-1-t.in, t.sound, nil)
	}
	s, o := &b.r.Steps[t.in], &b.facts.ops[t.in]
	do, pass := o.picture, b.picture
	if t.sound {
		do, pass = o.sound, b.sound
	}
	if do == nil {
		return pass(s.In[0])
	}
	return do(b, s, b.facts.steps[t.in])
}

// input returns the number of the input with these options, and adds it if needed.
func (b *builder) input(source int, options []string) int {
	for i := range b.inputs {
		if b.inputs[i].Source == source && strings.Join(b.inputs[i].Options, " ") == strings.Join(options, " ") {
			return i
		}
	}
	b.inputs = append(b.inputs, Input{source, options})
	return len(b.inputs) - 1
}

// source returns the picture or sound of a source, with the input options seek. Pictures
// are upright, with square pixels and at a constant frame rate.
func (b *builder) source(i int, sound bool, seek []string) stream {
	src := &b.r.Sources[i]
	at := strconv.Itoa(b.input(i, seek))
	if sound {
		return stream{from: at + ":a:" + strconv.Itoa(src.Stream)}
	}
	return stream{from: at + ":v:0"}.then(src.upright()...)
}

// named names a filter after the node that it belongs to. ffmpeg's messages contain the
// name.
func (b *builder) named(filter string, s *Step) string {
	if safeName(s.Node) {
		return filter + "@" + s.Node
	}
	for i := range b.r.Steps {
		if &b.r.Steps[i] == s {
			return filter + "@step" + strconv.Itoa(i)
		}
	}
	return filter
}

// NodeOf returns the node whose filter has the given name, or "".
func (r *Recipe) NodeOf(name string) string {
	for i := range r.Steps {
		if r.Steps[i].Node == name || "step"+strconv.Itoa(i) == name {
			return r.Steps[i].Node
		}
	}
	return ""
}

// file adds a text for a filter, and returns the name of its file.
func (b *builder) file(text string) string {
	b.texts = append(b.texts, text)
	return "t" + strconv.Itoa(len(b.texts)-1) + ".txt"
}

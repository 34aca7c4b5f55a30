package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// Result is a file that was made.
type Result struct {
	Media value.Media
	Path  string
	Size  int64
	Facts Facts
}

// longGraph is the size from which a graph is passed in a file, in bytes: command-line
// arguments have a length limit.
const longGraph = 16 << 10

// Render makes the file called name from a recipe, with one process. The file is complete
// or does not exist.
func (t *Tools) Render(ctx context.Context, r *Recipe, to Target, name string) (Result, error) {
	var made Result
	err := t.make(ctx, r, to, func(c *Command, out *os.File) error {
		if err := t.save(ctx, name, out); err != nil {
			return err
		}
		info, err := out.Stat()
		if err != nil {
			return err
		}
		total := int(c.Facts.Duration * 1000)
		node.Progress(ctx, total, total, "done")
		made = result(name, to, c.Facts, info.Size())
		return nil
	})
	return made, err
}

// maxRewritten is the largest result of [Tools.Rewrite], in bytes.
const maxRewritten = 256 << 20

// Rewrite makes the result of a recipe and returns its bytes, for programs that must not
// read untrusted files.
func (t *Tools) Rewrite(ctx context.Context, r *Recipe, to Target) ([]byte, error) {
	var made []byte
	err := t.make(ctx, r, to, func(_ *Command, out *os.File) error {
		info, err := out.Stat()
		if err == nil && info.Size() > maxRewritten {
			return limited("it has more than %d MiB, encoded; cut it into parts", maxRewritten>>20)
		}
		if err == nil {
			made, err = io.ReadAll(out)
		}
		return err
	})
	return made, err
}

// make makes the result of a recipe in a temporary file, and passes the file to use.
func (t *Tools) make(ctx context.Context, r *Recipe, to Target, use func(*Command, *os.File) error) error {
	if err := t.configured(); err != nil {
		return err
	}
	c, err := Plan(r, to)
	if err != nil {
		return err
	}
	if err := t.supports(c, r, to); err != nil {
		return err
	}
	pool := t.renders
	if c.Facts.Kind == "image" {
		pool = t.looks
	}
	release, err := pool.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	d, err := newDesk(t.Scratch)
	if err != nil {
		return node.Errorf(node.CodeStorageFull, "there is no place for work files: %w", errors.Unwrap(err))
	}
	defer d.clear()
	out, err := d.create("result")
	if err != nil {
		return err
	}
	defer out.Close() //nolint:errcheck // the file was copied or read
	if err := t.convert(ctx, d, c, r, to, out); err != nil {
		return wording(r, err)
	}
	return use(c, out)
}

// result returns the Result for a file.
func result(name string, to Target, f Facts, size int64) Result {
	kind := to.kind(f)
	return Result{value.Media{Kind: kind, MIME: to.MIME(kind), Path: name}, name, size, f}
}

// create creates a temporary file.
func (d *desk) create(name string) (*os.File, error) {
	return os.OpenFile(d.path(name), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
}

// convert runs ffmpeg, which writes to out.
func (t *Tools) convert(ctx context.Context, d *desk, c *Command, r *Recipe, to Target, out *os.File) error {
	return t.run(ctx, d, c, r, "making the file", []*os.File{out}, func(given []*os.File) ([]string, error) {
		return t.arguments(d, c, r, to, given)
	})
}

// run runs ffmpeg in a temporary folder and reports its progress. arguments returns the
// command line. It receives the files that the process inherits: the progress pipe, the
// inputs, and more.
func (t *Tools) run(ctx context.Context, d *desk, c *Command, r *Recipe, doing string, more []*os.File, arguments func(given []*os.File) ([]string, error)) error {
	from, told, err := os.Pipe()
	if err != nil {
		return err
	}
	defer from.Close() //nolint:errcheck // opened for reading only
	files, err := t.sources(ctx, c, r)
	defer closeAll(files)
	if err != nil {
		_ = told.Close()
		return err
	}
	given := slices.Concat([]*os.File{told}, files, more)
	p := process{program: t.ffmpeg, dir: d.dir, files: given, limits: renderLimits()}
	if p.args, err = arguments(given); err != nil {
		_ = told.Close()
		return err
	}
	var following sync.WaitGroup
	following.Go(func() { follow(ctx, from, c.Facts.Duration, doing) })
	began := time.Now()
	err = p.run(ctx)
	t.tally.ended(ctx, err, c.Facts.Duration, time.Since(began))
	_ = told.Close() // the last write end, so that following ends
	following.Wait()
	return err
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // opened for reading only
	}
}

// sources opens the files of a command's inputs, in their order.
func (t *Tools) sources(ctx context.Context, c *Command, r *Recipe) (files []*os.File, err error) {
	for _, in := range c.Inputs {
		f, err := t.openAs(ctx, &r.Sources[in.Source])
		if err != nil {
			return files, err
		}
		files = append(files, f)
	}
	return files, nil
}

// arguments returns the command line. files are the inherited files: progress, inputs,
// output.
func (t *Tools) arguments(d *desk, c *Command, r *Recipe, to Target, files []*os.File) ([]string, error) {
	args, err := t.reading(d, c, files)
	if err != nil {
		return nil, err
	}
	if len(to.Captions) > 0 {
		said, format := srt(to.Captions), "srt"
		if to.Format == "webm" {
			if said, err = webVTT(to.Captions); err != nil {
				return nil, err
			}
			format = "webvtt"
		}
		if err := os.WriteFile(d.path("captions"), []byte(said), 0o600); err != nil {
			return nil, err
		}
		args = append(args, "-f", format, "-i", "captions")
	}
	last := len(files) - 1
	return append(append(args, to.Options(c, r, t.threads)...), descriptor(last, files[last])), nil
}

// reading returns the part of the command line up to the filter graph.
func (t *Tools) reading(d *desk, c *Command, files []*os.File) ([]string, error) {
	for i, text := range c.Texts {
		if err := os.WriteFile(d.path("t"+strconv.Itoa(i)+".txt"), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	threads := strconv.Itoa(t.threads)
	args := []string{
		"-hide_banner", "-nostdin", "-nostats", "-loglevel", "level+warning", "-y", "-progress", "pipe:3", "-stats_period", "0.25",
		"-filter_complex_threads", threads,
	}
	for i, in := range c.Inputs {
		args = append(append(append(args, readOptions()...), "-autorotate", "0", "-threads", threads), in.Options...)
		args = append(args, "-i", descriptor(1+i, files[1+i]))
	}
	switch {
	case len(c.Graph) > longGraph:
		if err := os.WriteFile(d.path("graph"), []byte(c.Graph), 0o600); err != nil {
			return nil, err
		}
		option := "-filter_complex_script"
		if t.build().major >= 7 {
			option = "-/filter_complex"
		}
		args = append(args, option, "graph")
	case c.Graph != "":
		args = append(args, "-filter_complex", c.Graph)
	}
	return args, nil
}

// build describes what a build of ffmpeg supports.
type build struct {
	major             int // ask asks ffmpeg what it supports. It assumes that a feature is supported if ffmpeg does not report its features.
	filters, encoders map[string]bool
}

// ask asks ffmpeg what it supports. It assumes support where ffmpeg does not answer.
func (t *Tools) ask() *build {
	b := &build{filters: t.list("-filters", 1), encoders: t.list("-encoders", 1)}
	var out bytes.Buffer
	p := process{program: t.ffmpeg, args: []string{"-version"}, dir: os.TempDir(), stdout: &out, limits: lookLimits()}
	if p.run(context.Background()) == nil {
		_, version, _ := strings.Cut(out.String(), "version ")
		version = strings.TrimLeft(version, "n")
		major, _, _ := strings.Cut(version, ".")
		b.major, _ = strconv.Atoi(major)
	}
	return b
}

// list returns the names in a column of one of ffmpeg's lists, or nil if ffmpeg prints
// none.
func (t *Tools) list(option string, column int) map[string]bool {
	var out bytes.Buffer
	p := process{program: t.ffmpeg, args: []string{"-hide_banner", option}, dir: os.TempDir(), stdout: &out, limits: lookLimits()}
	if p.run(context.Background()) != nil {
		return nil
	}
	names := map[string]bool{}
	for line := range strings.Lines(out.String()) {
		if fields := strings.Fields(line); len(fields) > column {
			names[fields[column]] = true
		}
	}
	return names
}

// supports returns an error if this build of ffmpeg lacks something that the command needs.
func (t *Tools) supports(c *Command, r *Recipe, to Target) error {
	b := t.build()
	if err := t.filters(c.Graph, r); err != nil {
		return err
	}
	write := to.Options(c, r, 1)
	for i, arg := range write {
		if (arg == "-c:v" || arg == "-c:a") && write[i+1] != "copy" && len(b.encoders) > 0 && !b.encoders[write[i+1]] {
			return coded(codeNotConfigured, "this build of ffmpeg has no encoder %s; install a complete one (apt-get install ffmpeg), or choose another codec", write[i+1])
		}
	}
	return nil
}

// filters returns an error if this build of ffmpeg lacks a filter of the graph.
func (t *Tools) filters(graph string, r *Recipe) error {
	b := t.build()
	for chain := range strings.FieldsFuncSeq(graph, func(r rune) bool { return r == ';' || r == ',' }) {
		name, _, _ := strings.Cut(chain[lastInput(chain):], "=")
		name, at, _ := strings.Cut(name, "@")
		if len(b.filters) == 0 || !isWord(name) || b.filters[name] {
			continue
		}
		who := "this node"
		if wanted := r.NodeOf(at); wanted != "" {
			who = "the node " + strconv.Quote(wanted)
		}
		return coded(codeNotConfigured, "this build of ffmpeg has no filter %s, which %s needs; install a complete one (apt-get install ffmpeg)", name, who)
	}
	return nil
}

// lastInput returns the end of the labels before a filter.
func lastInput(chain string) int {
	at := 0
	for at < len(chain) && chain[at] == '[' {
		at += strings.IndexByte(chain[at:], ']') + 1
	}
	return at
}

func isWord(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' }) < 0
}

func (d *desk) path(name string) string { return filepath.Join(d.dir, name) }

// produce runs a command that writes files into a temporary folder, and passes the folder
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

// fill runs ffmpeg in a temporary folder.
func (t *Tools) fill(ctx context.Context, d *desk, c *Command, r *Recipe, args []string) error {
	return t.run(ctx, d, c, r, "making the files", nil, func(given []*os.File) ([]string, error) {
		inputs, err := t.reading(d, c, given)
		return append(inputs, args...), err
	})
}

// keepAs stores a temporary file under name.
func (t *Tools) keepAs(ctx context.Context, d *desk, from, name string) (int64, error) {
	f, err := os.Open(d.path(from))
	if err != nil {
		return 0, err
	}
	defer f.Close() //nolint:errcheck // opened for reading only
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), t.save(ctx, name, f)
}

// behind appends filters to the picture of a command.
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

// seen returns a recipe for only the picture of r, and its command.
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

// Frames makes pictures of some frames of a video, with the given size. It calls name for
// the name of each file.
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
				return nil // the file has fewer frames than it claims
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

// Cuts returns the times of scene changes in a video, in seconds. Each is the time of a
// frame.
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

// parseCuts parses the output of the filter metadata.
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

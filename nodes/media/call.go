package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/node"
)

// Call is a call of a program, configured by the operator, that works in a temporary
// folder.
type Call struct {
	Program string // its full path
	Args    []string
	Files   map[string][]byte // input files in the folder
	Result  string            // name of the file that the program writes; "" if it writes none
}

// Answer has the output of a program, and the file that it made.
type Answer struct{ Printed, Result []byte }

// Call runs a program with the limits of converters and without the service's environment.
func (t *Tools) Call(ctx context.Context, c Call) (Answer, error) {
	release, err := t.renders.take(ctx)
	if err != nil {
		return Answer{}, err
	}
	defer release()
	d, err := newDesk(t.Scratch)
	if err != nil {
		return Answer{}, node.Errorf(node.CodeStorageFull, "there is no place for work files: %w", errors.Unwrap(err))
	}
	defer d.clear()
	for name, content := range c.Files {
		if err := os.WriteFile(d.path(name), content, 0o600); err != nil {
			return Answer{}, err
		}
	}
	var out bytes.Buffer
	p := process{program: c.Program, args: c.Args, dir: d.dir, stdout: &out, limits: renderLimits()}
	if err := p.run(ctx); err != nil {
		return Answer{}, calling(filepath.Base(c.Program), err)
	}
	answer := Answer{Printed: out.Bytes()}
	if c.Result != "" {
		if answer.Result, err = os.ReadFile(d.path(c.Result)); err != nil {
			return answer, coded(node.CodeFailed, "%s has made no file", filepath.Base(c.Program))
		}
	}
	return answer, nil
}

// calling says why a program failed.
func calling(name string, err error) error {
	var f *failed
	if !errors.As(err, &f) {
		return err
	}
	if stopped := outOfBounds(f); stopped != nil {
		return coded(node.CodeLimitExceeded, "%s used more time, memory or room than it may", name)
	}
	text := cleaned(f.stderr)
	return coded(node.CodeFailed, "%s failed: %s", name, joined(telling(text), text))
}

// Find returns the path of a program in PATH, or "" if it is not there.
func (t *Tools) Find(name string) string { return find("", name) }

// Has reports whether ffmpeg has a filter.
func (t *Tools) Has(filter string) bool { return t.ffmpeg != "" && t.build().filters[filter] }

// Say makes speech of a text with ffmpeg's filter flite, as FLAC.
func (t *Tools) Say(ctx context.Context, text, voice string, speed float64) ([]byte, error) {
	if err := t.configured(); err != nil {
		return nil, err
	}
	if !isWord(voice) {
		return nil, refused("the voice cannot be %q", brief(voice))
	}
	c := &Command{Texts: []string{text}, Graph: "flite=textfile=t0.txt:voice=" + voice + ",atempo=" + num(min(2, max(0.5, speed))) + "[said]"}
	var said []byte
	err := t.produce(ctx, c, &Recipe{}, []string{"-map", "[said]", "-c:a", "flac", "-f", "flac", "said"}, func(d *desk) (err error) {
		said, err = os.ReadFile(d.path("said"))
		return err
	})
	return said, err
}

// Model is the speech model for ffmpeg's filter asr.
type Model struct{ Sounds, Words, Grammar string }

// Hear transcribes speech with ffmpeg's filter asr, and returns texts with their end times.
func (t *Tools) Hear(ctx context.Context, r *Recipe, m Model) ([]Span, error) {
	for _, path := range []string{m.Sounds, m.Words, m.Grammar} {
		if strings.ContainsAny(path, `:,;[]'\=`) {
			return nil, coded(codeNotConfigured, "the folder of the model has a name that ffmpeg cannot be told")
		}
	}
	// The filter prints a text only when silence follows.
	said, err := t.listen(ctx, r, fmt.Sprintf("aresample=16000,aformat=channel_layouts=mono,apad=pad_dur=1,asr=rate=16000:hmm=%s:dict=%s:lm=%s,ametadata=mode=print:key=lavfi.asr.text",
		m.Sounds, m.Words, m.Grammar))
	if err != nil {
		return nil, err
	}
	return parseHeard(said, r.Facts.Duration), nil
}

// parseHeard parses the output of asr: each text with the time of its end.
func parseHeard(said string, duration float64) (spans []Span) {
	at, last := 0.0, 0.0
	for _, m := range regexp.MustCompile(`pts_time:([0-9.]+)|lavfi\.asr\.text=([^\r\n]*)`).FindAllStringSubmatch(said, -1) {
		if m[1] != "" {
			if f, err := strconv.ParseFloat(m[1], 64); err == nil {
				at = min(duration, max(last, f))
			}
			continue
		}
		if text := strings.TrimSpace(m[2]); text != "" {
			spans = append(spans, Span{last, at, strings.ToValidUTF8(text, "")})
			last = at
		}
	}
	return spans
}

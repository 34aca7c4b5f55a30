package store

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// What the line of a frame says about its data, between commas:
//
//	o:FROM:TO          the outputs of the node stand there
//	n:AT:SIZE:DIGEST   a hole where an output of a node belongs, by its digest
//	r:AT:SIZE:DIGEST   the same for an output of the run itself
//	f:AT:FRAME         a hole where the outputs of a node belong, which that frame has
//
// So nothing in the data can be taken for a hole.

// aboutFrame words that for a frame.
func aboutFrame(f *run.Frame) string {
	if len(f.Holes) == 0 && f.Outputs == (run.Span{}) {
		return nothing
	}
	var b []byte
	item := func(kind byte, numbers ...int) {
		if b != nil {
			b = append(b, ',')
		}
		b = append(b, kind)
		for _, n := range numbers {
			b = strconv.AppendInt(append(b, ':'), int64(n), 10)
		}
	}
	if f.Outputs != (run.Span{}) {
		item('o', f.Outputs.From, f.Outputs.To)
	}
	for i := range f.Holes {
		h := &f.Holes[i]
		switch {
		case h.Frame > 0:
			item('f', h.At, h.Frame)
			continue
		case h.OfRun:
			item('r', h.At, h.Size)
		default:
			item('n', h.At, h.Size)
		}
		b = hex.AppendEncode(append(b, ':'), h.Digest[:])
	}
	return string(b)
}

// frame returns the frame that a line holds.
func (l *line) frame() (run.Frame, error) {
	f := run.ReadFrame(l.seq, engine.EventName(l.name), l.data)
	var err error
	f.Holes, f.Outputs, err = parseAbout(l.about, len(l.data))
	for i := range f.Holes {
		if f.Holes[i].Frame >= l.seq && l.seq > 0 {
			err = errLine
		}
	}
	return f, err
}

// parseAbout reads what a line says about its data, which has so many bytes.
func parseAbout(about string, size int) (holes []run.Hole, outputs run.Span, err error) {
	if about == nothing {
		return nil, outputs, nil
	}
	last := 0
	for item := range strings.SplitSeq(about, ",") {
		kind, rest, _ := strings.Cut(item, ":")
		first, rest, _ := strings.Cut(rest, ":")
		second, rest, _ := strings.Cut(rest, ":")
		at, err1 := strconv.Atoi(first)
		n, err2 := strconv.Atoi(second)
		ok := err1 == nil && err2 == nil && at >= 0 && at <= size && n >= 0
		if kind == "o" {
			outputs = run.Span{From: at, To: n}
			if !ok || n < at || n > size {
				return nil, outputs, fmt.Errorf("%w: %.80q", errLine, item)
			}
			continue
		}
		h := run.Hole{At: at, OfRun: kind == "r"}
		if kind == "f" {
			h.Frame = n
		} else if h.Size = n; ok {
			h.Digest, ok = parseDigest(rest)
		}
		if !ok || at < last {
			return nil, outputs, fmt.Errorf("%w: %.80q", errLine, item)
		}
		last = at
		holes = append(holes, h)
	}
	return holes, outputs, nil
}

func parseDigest(text string) (d run.Digest, ok bool) {
	if len(text) != hex.EncodedLen(len(d)) {
		return d, false
	}
	_, err := hex.Decode(d[:], []byte(text))
	return d, err == nil
}

func formatDigest(d run.Digest) string { return hex.EncodeToString(d[:]) }

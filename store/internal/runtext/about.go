// Package runtext writes and reads the texts of recorded runs that all stores share: the start of
// a run, the description of a frame, and the position of a list.
package runtext

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/run"
)

// The field about of a frame line describes its data with comma-separated items:
//
//	o:FROM:TO          range of the outputs of the node
//	n:AT:SIZE:DIGEST   reference to an output of a node, by its digest
//	r:AT:SIZE:DIGEST   reference to an output of the run itself
//	f:AT:FRAME         reference to the outputs of a node, which are in that frame
//	t:AT:FRAME         reference to the states of all nodes after that frame
//	N: R:              like n and r, for a value whose JSON has hidden fractions
//	e:AT:0             a hidden fraction after a number in the data
//
// Since references are not part of the data, no data can be mistaken for one.

// About formats the references, outputs and fractions of a frame.
func About(f *run.Frame) string {
	if len(f.Holes) == 0 && f.Outputs == (run.Span{}) && len(f.Floats) == 0 {
		return Nothing
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
		case h.Frame > 0 && h.Nodes:
			item('t', h.At, h.Frame)
			continue
		case h.Frame > 0:
			item('f', h.At, h.Frame)
			continue
		default:
			item(kindOf(h), h.At, h.Size)
		}
		b = hex.AppendEncode(append(b, ':'), h.Digest[:])
	}
	for _, at := range f.Floats {
		item('e', at, 0)
	}
	return string(b)
}

// kindOf returns the item kind of a reference to a value.
func kindOf(h *run.Reference) byte {
	kind := byte('n')
	if h.OfRun {
		kind = 'r'
	}
	if h.Exact {
		kind -= 'n' - 'N'
	}
	return kind
}

// ParseAbout parses about into f, whose data has size bytes.
func ParseAbout(f *run.Frame, about string, size int) error {
	if about == Nothing {
		return nil
	}
	last, lastFloat := 0, 0
	for item := range strings.SplitSeq(about, ",") {
		kind, rest, _ := strings.Cut(item, ":")
		first, rest, _ := strings.Cut(rest, ":")
		second, rest, _ := strings.Cut(rest, ":")
		at, err1 := strconv.Atoi(first)
		n, err2 := strconv.Atoi(second)
		ok := err1 == nil && err2 == nil && at >= 0 && at <= size && n >= 0
		switch kind {
		case "o":
			f.Outputs = run.Span{From: at, To: n}
			ok = ok && n >= at && n <= size
		case "e":
			ok = ok && at > lastFloat
			lastFloat, f.Floats = at, append(f.Floats, at)
		default:
			h := run.Reference{At: at, OfRun: strings.EqualFold(kind, "r"), Exact: kind == "N" || kind == "R", Nodes: kind == "t"}
			if kind == "f" || h.Nodes {
				h.Frame = n
			} else if h.Size = n; ok {
				h.Digest, ok = ParseDigest(rest)
			}
			ok = ok && at >= last
			last, f.Holes = at, append(f.Holes, h)
		}
		if !ok {
			return fmt.Errorf("%w: %.80q", ErrLine, item)
		}
	}
	return nil
}

// ParseDigest reads what FormatDigest writes.
func ParseDigest(text string) (d run.Digest, ok bool) {
	if len(text) != hex.EncodedLen(len(d)) {
		return d, false
	}
	_, err := hex.Decode(d[:], []byte(text))
	return d, err == nil
}

// FormatDigest writes a digest in hexadecimal.
func FormatDigest(d run.Digest) string { return hex.EncodeToString(d[:]) }

// ErrLine says that a line is incomplete or fails its checksum.
var ErrLine = errors.New("not a line of a log of runs")

// Nothing marks an empty field.
const Nothing = "-"

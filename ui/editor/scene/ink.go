package scene

import (
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/value"
)

// lookOf returns the colour and shape of a type.
func lookOf(t value.Type) (Ink, Shape) {
	switch t.Kind() {
	case value.KindString:
		return InkString, Dot
	case value.KindEnum:
		return InkString, Notched
	case value.KindInt:
		return InkInt, Dot
	case value.KindFloat:
		return InkFloat, Dot
	case value.KindBool:
		return InkBool, Triangle
	case value.KindList:
		return InkList, Square
	case value.KindRecord:
		return InkRecord, Diamond
	case value.KindCredential:
		return InkCredential, Ring
	case value.KindMedia:
		return InkMedia, Dot
	default:
		return InkAny, Dot
	}
}

// InkOf returns the colour of a type: that of its ports and wires.
func InkOf(t value.Type) Ink {
	ink, _ := lookOf(t)
	return ink
}

// inkOf returns the colour of a status; NoInk if it has none.
func inkOf(s engine.Status) Ink {
	switch s {
	case engine.StatusRunning:
		return InkRunning
	case engine.StatusSucceeded, engine.StatusCompleted:
		return InkOK
	case engine.StatusFailed:
		return InkError
	case engine.StatusCancelled:
		return InkDim
	default:
		return NoInk
	}
}

// Exact returns the colour "#RRGGBB", as in node types, groups and notes, or otherwise if
// text is no such colour.
func Exact(text string, otherwise Paint) Paint {
	hex, ok := strings.CutPrefix(text, "#")
	rgb, err := strconv.ParseUint(hex, 16, 32)
	if !ok || len(hex) != 6 || err != nil {
		return otherwise
	}
	return Paint{Ink: InkExact, RGB: uint32(rgb)}
}

// Dark reports whether an exact colour has too little contrast on a dark canvas.
func (p Paint) Dark() bool {
	const limit = 0x30
	return p.Ink == InkExact && p.RGB>>16 < limit && p.RGB>>8&0xFF < limit && p.RGB&0xFF < limit
}

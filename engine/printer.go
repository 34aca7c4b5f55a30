package engine

import "github.com/svcflow/svc/engine/value"

// Printer prints the values in an event or a result, for those who keep them apart from
// the rest.
type Printer interface {
	// Value appends v, an output of the run itself or of a node.
	Value(dst []byte, v any, ofRun bool) []byte
	// Outputs is told that the outputs of a node have been appended from an offset on. It
	// returns dst, with something else in their place if it likes.
	Outputs(dst []byte, node string, from int) []byte
}

// eliding prints outputs of nodes up to so many bytes, and those of the run whole.
type eliding int

// Value implements [Printer].
func (e eliding) Value(dst []byte, v any, ofRun bool) []byte {
	if ofRun {
		return value.Append(dst, v)
	}
	return appendElided(dst, v, int(e), new(value.Gauge))
}

// Outputs implements [Printer].
func (eliding) Outputs(dst []byte, _ string, _ int) []byte { return dst }

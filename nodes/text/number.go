package text

import (
	"context"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

type toNumberIn struct {
	Text string `port:"text" doc:"A number in decimal notation."`
}

type toNumberOut struct {
	Value   float64 `port:"value" doc:"The number; 0 if the text is none."`
	Integer *int    `port:"integer" doc:"The same as an int, exactly; null if it has a fraction or does not fit."`
	OK      bool    `port:"ok" doc:"Whether the text is a number."`
}

func toNumberNode() node.Node {
	return node.Func("text.to_number", "To number", toNumber).Pure().
		Converts(value.String(), value.Int()).
		Converts(value.String(), value.Float()).
		Aliases("parse number, int, float", "zahl lesen, umwandeln").
		Example(map[string]any{"text": "1815"}).Doc(
		"Reads a number. White space around it does not matter; a sign, a fraction with a point and an exponent are understood.\n\n" +
			"` 42 ` gives 42 and the integer 42, `-2.5e3` gives -2500, and `1,234` or `0x10` are no numbers: ok is false. " +
			"Remove the separators of thousands with text.replace first.")
}

// decimal is what counts as a number: no hexadecimal, no underscores, no infinity.
var decimal = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)

func toNumber(_ context.Context, in toNumberIn) (toNumberOut, error) {
	text := strings.TrimSpace(in.Text)
	if len(text) > maxPattern || !decimal.MatchString(text) {
		return toNumberOut{}, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil { // too large
		return toNumberOut{}, nil
	}
	return toNumberOut{Value: f, Integer: integer(text, f), OK: true}, nil
}

// integer parses text as an int. f is the nearest float, which is not enough to decide:
// 0.99999999999999999999 is 1 as a float, too.
func integer(text string, f float64) *int {
	n, err := strconv.Atoi(text)
	if err == nil {
		return &n
	}
	if f != math.Trunc(f) || math.Abs(f) > 1<<63 {
		return nil
	}
	exact, ok := new(big.Rat).SetString(text)
	if !ok || !exact.IsInt() || !exact.Num().IsInt64() {
		return nil
	}
	n = int(exact.Num().Int64())
	return &n
}

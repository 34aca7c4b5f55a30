package listops

import (
	"context"

	"github.com/svcflow/svc/engine/node"
)

type rangeIn struct {
	Start int `port:"start" default:"0" doc:"The first number."`
	End   int `port:"end" doc:"Where to stop; this number is not in the list."`
	Step  int `port:"step" default:"1" doc:"How far it is from one number to the next; negative counts down."`
}

type rangeOut struct {
	Result []int `port:"result" doc:"The numbers."`
}

func rangeNode() node.Node {
	return node.Func("listops.range", "Range", countUp).Pure().
		Aliases("numbers, sequence, count", "zahlenfolge, reihe, bereich").
		Example(map[string]any{"end": 5}).Doc(
		"Makes a list of numbers from start up to, but without, end.\n\n" +
			"start 0, end 5, step 2 gives `[0,2,4]`; start 3, end 0, step -1 gives `[3,2,1]`. " +
			"A list that would lead away from end is empty.")
}

func countUp(ctx context.Context, in rangeIn) (rangeOut, error) {
	if in.Step == 0 {
		return rangeOut{}, node.Errorf(node.CodeInvalidInput, "step is 0, which leads nowhere; give a positive or a negative number")
	}
	n := steps(in.Start, in.End, in.Step)
	if n > maxItems {
		return rangeOut{}, node.Permanent(node.Errorf(node.CodeLimitExceeded, "%d numbers; a list made here may have %d", n, maxItems))
	}
	if err := claim(ctx, 2*int(n)); err != nil { // for the ints, and for the values that they are converted to
		return rangeOut{}, err
	}
	result := make([]int, n)
	for i := range result {
		result[i] = in.Start + i*in.Step
	}
	return rangeOut{result}, nil
}

// steps returns the number of steps from start to end. It uses unsigned arithmetic, because
// the distance of two ints may overflow an int.
func steps(start, end, step int) uint {
	distance, width := uint(end)-uint(start), uint(step)
	if step < 0 {
		distance, width = -distance, -width
	}
	if start == end || (end > start) != (step > 0) {
		return 0
	}
	return (distance-1)/width + 1
}

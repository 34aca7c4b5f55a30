package control_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// twice is a body that doubles its item. It fails for negative items and emits nothing for
// 0.
func twice() *fakeBody {
	return &fakeBody{
		inputs:  []node.Port{in("item", "int"), in("index", "int"), in("offset", "int")},
		outputs: []node.Port{{Name: "twice", Type: value.Int()}, {Name: "at", Type: value.Int()}},
		run: func(_ context.Context, step int, inputs record) (record, error) {
			item := inputs["item"].(int)
			switch {
			case item < 0:
				return nil, node.Permanent(node.Errorf("negative", "it is negative"))
			case item == 0:
				return record{}, nil
			}
			offset, _ := inputs["offset"].(int)
			if step != inputs["index"] {
				return nil, errors.New("step and index differ")
			}
			return record{"twice": 2*item + offset, "at": step}, nil
		},
	}
}

func ints(n ...any) []any { return n }

func TestForeachKeepsOrder(t *testing.T) {
	list, want, at := make([]any, 1000), make([]any, 1000), make([]any, 1000)
	for i := range list {
		list[i], want[i], at[i] = i+1, 2*i+2+5, i
	}
	for _, concurrency := range []int{1, 8, 256} {
		got, err := exec(t.Context(), t, "control.foreach", record{"list": list, "concurrency": concurrency, "offset": 5}, twice())
		require.NoError(t, err)
		require.Equal(t, record{"twice": want, "at": at, "count": 1000, "errors": []any{}}, got)
	}
}

func TestForeachOfNothing(t *testing.T) {
	got, err := exec(t.Context(), t, "control.foreach", record{"list": []any{}}, twice())
	require.NoError(t, err)
	require.Equal(t, record{"twice": []any{}, "at": []any{}, "count": 0, "errors": []any{}}, got)
}

func TestForeachSkips(t *testing.T) {
	list := ints(1, -1, 0, "x", 2.0)
	got, err := exec(t.Context(), t, "control.foreach", record{"list": list, "onItemError": "skip"}, twice())
	require.NoError(t, err)
	require.Equal(t, ints(2, nil, nil, nil, 4), got["twice"])
	require.Equal(t, 5, got["count"])
	require.Equal(t, []any{
		record{"index": 1, "item": -1, "code": "negative", "message": "it is negative"},
		record{"index": 3, "item": "x", "code": "type_error", "message": `input "item": expected int, got string`},
	}, got["errors"])
}

// The output errors contains the failed item, unless it is too large to store with the run.
func TestForeachTellsItemsBounded(t *testing.T) {
	small := record{"id": 7, "tags": []any{"a"}}
	long := strings.Repeat("é", 4<<10)
	big := make([]any, 10_000)
	body := &fakeBody{run: func(context.Context, int, record) (record, error) { return nil, node.Errorf("broken", "no good") }}
	got, err := exec(t.Context(), t, "control.foreach", record{"list": []any{small, long, big}, "onItemError": "skip"}, body)
	require.NoError(t, err)
	errs := got["errors"].([]any)
	require.Equal(t, record{"index": 0, "item": small, "code": "broken", "message": "no good"}, errs[0])
	for _, e := range errs[1:] {
		item := e.(record)["item"].(string)
		require.Less(t, len(item), 1000)
		require.True(t, strings.HasSuffix(item, "…"))
		require.True(t, utf8.ValidString(item))
	}
	require.True(t, strings.HasPrefix(errs[1].(record)["item"].(string), `"éé`))
	require.True(t, strings.HasPrefix(errs[2].(record)["item"].(string), `[null,null`))
}

func TestForeachFailsWithTheItemsCode(t *testing.T) {
	_, err := exec(t.Context(), t, "control.foreach", record{"list": ints(1, 2, -3)}, twice())
	require.Equal(t, "negative", node.CodeOf(err))
	require.EqualError(t, err, "item 2: it is negative")
	require.True(t, node.IsPermanent(err))
}

func TestForeachBodyNeedNotTakeTheItem(t *testing.T) {
	var runs atomic.Int64
	body := &fakeBody{run: func(_ context.Context, _ int, inputs record) (record, error) {
		runs.Add(1)
		if len(inputs) > 0 {
			return nil, errors.New("it got inputs")
		}
		return nil, nil
	}}
	got, err := exec(t.Context(), t, "control.foreach", record{"list": ints(1, 2, 3)}, body)
	require.NoError(t, err)
	require.Equal(t, record{"count": 3, "errors": []any{}}, got)
	require.EqualValues(t, 3, runs.Load())
}

func TestForeachBoundsConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int64
		body := &fakeBody{run: func(ctx context.Context, _ int, _ record) (record, error) {
			if n := running.Add(1); n > most.Load() {
				most.Store(n)
			}
			defer running.Add(-1)
			return nil, wait(ctx, time.Second)
		}}
		start := time.Now()
		_, err := exec(t.Context(), t, "control.foreach", record{"list": make([]any, 20), "concurrency": 5}, body)
		require.NoError(t, err)
		require.EqualValues(t, 5, most.Load())
		require.Equal(t, 4*time.Second, time.Since(start))
	})
}

// wait simulates work that takes d.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func TestForeachFailureCancelsTheOthersAndWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running atomic.Int64
		body := &fakeBody{
			inputs: []node.Port{in("index", "int")},
			run: func(ctx context.Context, step int, _ record) (record, error) {
				running.Add(1)
				defer running.Add(-1)
				if step == 2 {
					return nil, errors.Join(wait(ctx, time.Second), node.Errorf("broken", "no good"))
				}
				return nil, wait(ctx, time.Hour)
			},
		}
		start := time.Now()
		_, err := exec(t.Context(), t, "control.foreach", record{"list": make([]any, 50)}, body)
		require.Equal(t, "broken", node.CodeOf(err))
		require.ErrorContains(t, err, "item 2: ")
		require.Zero(t, running.Load())
		require.Equal(t, time.Second, time.Since(start))
	})
}

func TestForeachEndsWithItsContext(t *testing.T) {
	for _, mode := range []string{"fail", "skip"} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			body := &fakeBody{run: func(ctx context.Context, _ int, _ record) (record, error) {
				return nil, wait(ctx, time.Hour)
			}}
			_, err := exec(ctx, t, "control.foreach", record{"list": make([]any, 50), "onItemError": mode}, body)
			require.Equal(t, context.DeadlineExceeded, err)
		})
	}
}

func TestForeachReportsProgressSparingly(t *testing.T) {
	var p progress
	ctx := node.WithRun(t.Context(), &p)
	_, err := exec(ctx, t, "control.foreach", record{"list": make([]any, 5000)}, &fakeBody{
		run: func(context.Context, int, record) (record, error) { return nil, nil },
	})
	require.NoError(t, err)
	require.Len(t, p.steps, 100)
	require.Equal(t, [2]int{50, 5000}, p.steps[0])
	require.Equal(t, [2]int{5000, 5000}, p.steps[99])
}

func TestForeachLimits(t *testing.T) {
	_, err := exec(t.Context(), t, "control.foreach", record{"list": make([]any, 1_000_001)}, &fakeBody{})
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
	require.True(t, node.IsPermanent(err))
	for _, n := range []int{0, -1, 257} {
		_, err = exec(t.Context(), t, "control.foreach", record{"list": []any{}, "concurrency": n}, &fakeBody{})
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
	}
}

// The size of the output errors is limited, like that of every value.
func TestForeachTellsFailuresBounded(t *testing.T) {
	long := strings.Repeat("x", limit.Failure)
	list := make([]any, value.MaxSize/len(long)+1)
	body := &fakeBody{run: func(context.Context, int, record) (record, error) {
		return nil, node.Errorf("broken", "%s", long+"more")
	}}
	got, err := exec(t.Context(), t, "control.foreach", record{"list": list[:10], "onItemError": "skip"}, body)
	require.NoError(t, err)
	for _, e := range got["errors"].([]any) {
		require.LessOrEqual(t, len(e.(record)["message"].(string)), limit.Failure)
	}
	body.run = func(context.Context, int, record) (record, error) {
		return nil, &node.Error{Code: "broken", Message: long}
	}
	_, err = exec(t.Context(), t, "control.foreach", record{"list": list, "onItemError": "skip"}, body)
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
	require.ErrorContains(t, err, `output "errors"`)
}

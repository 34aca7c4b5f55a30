package bench

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/httpapi/client"
)

// side is one of the operations that are compared.
type side struct {
	name string
	once func(ctx context.Context) error
}

// runOf returns a function that runs a stored workflow and waits for the last frame.
func runOf(c *client.Client, workflowID string) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		id, err := c.StartStored(ctx, workflowID, run.Request{})
		if err != nil {
			return err
		}
		_, err = followed(ctx, c, id)
		return err
	}
}

// atMost limits once to n concurrent calls.
func atMost(n int, once func(ctx context.Context) error) func(ctx context.Context) error {
	free := make(chan struct{}, n)
	return func(ctx context.Context) error {
		free <- struct{}{}
		defer func() { <-free }()
		return once(ctx)
	}
}

// followed returns the events of a run, once it has completed.
func followed(ctx context.Context, c *client.Client, id string) (all []engine.Event, err error) {
	for e, err := range c.Events(ctx, id, 0) {
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	if len(all) == 0 || all[len(all)-1].Name != engine.EventCompleted {
		return nil, fmt.Errorf("the run %s has not completed", id)
	}
	return all, nil
}

// loaded is the result of a load.
type loaded struct {
	rate     float64 // operations per second
	p50, p95 float64 // durations in milliseconds
}

// load calls once repeatedly with a number of clients.
func load(b *testing.B, clients int, length time.Duration, once func(ctx context.Context) error) loaded {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), length+patience)
	defer cancel()
	var mu sync.Mutex
	var took []time.Duration
	var all sync.WaitGroup
	start := time.Now()
	for range clients {
		all.Go(func() {
			for began := time.Now(); began.Sub(start) < length; began = time.Now() {
				if err := once(ctx); err != nil {
					b.Error(err)
					return
				}
				mu.Lock()
				took = append(took, time.Since(began))
				mu.Unlock()
			}
		})
	}
	all.Wait()
	require.NotEmpty(b, took)
	rate := float64(len(took)) / time.Since(start).Seconds()
	return loaded{rate, ms(percentile(took, 50)), ms(percentile(took, 95))}
}

// percentile sorts values and returns a percentile.
func percentile[T int | float64 | time.Duration](values []T, p int) T {
	slices.Sort(values)
	return values[min(len(values)*p/100, len(values)-1)]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// compared has the results of several sides.
type compared struct {
	b       *testing.B
	clients int
	rounds  map[string][]loaded
}

// inTurn measures the sides alternately for several rounds, and reports their rates.
func inTurn(b *testing.B, clients int, sides ...side) compared {
	b.Helper()
	const rounds, length = 3, 4 * time.Second
	c := compared{b, clients, map[string][]loaded{}}
	for _, s := range sides {
		load(b, clients, length/4, s.once) // warm-up
	}
	for range rounds {
		for _, s := range sides {
			c.rounds[s.name] = append(c.rounds[s.name], load(b, clients, length, s.once))
		}
	}
	for _, s := range sides {
		figures := map[string]float64{
			"runs/s": c.median(s.name, "", func(l, _ loaded) float64 { return l.rate }),
			"p50-ms": c.median(s.name, "", func(l, _ loaded) float64 { return l.p50 }),
			"p95-ms": c.median(s.name, "", func(l, _ loaded) float64 { return l.p95 }),
		}
		report(b, fmt.Sprintf("%s_c%d", s.name, clients), figures)
	}
	return c
}

// median returns the median of a figure of one side, or of two sides of the same round.
func (c compared) median(one, other string, figure func(one, other loaded) float64) float64 {
	var values []float64
	for i, l := range c.rounds[one] {
		var o loaded
		if other != "" {
			o = c.rounds[other][i]
		}
		values = append(values, figure(l, o))
	}
	return percentile(values, 50)
}

// against reports the rate of one side relative to another, and its duration relative to the
// other's.
func (c compared) against(one, other string) {
	c.b.Helper()
	report(c.b, fmt.Sprintf("%s_vs_%s_c%d", one, other, c.clients), map[string]float64{
		"ratio":     c.median(one, other, func(a, b loaded) float64 { return a.rate / b.rate }),
		"p50-times": c.median(one, other, func(a, b loaded) float64 { return a.p50 / b.p50 }),
	})
}

// report reports figures as a benchmark with the given name.
func report(b *testing.B, name string, figures map[string]float64) {
	b.Helper()
	b.Run(name, func(b *testing.B) {
		b.ReportMetric(0, "ns/op") // meaningless here
		for unit, value := range figures {
			b.ReportMetric(value, unit)
		}
	})
}

package serving

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// stallingPipe is a writer that can stall and break.
type stallingPipe struct {
	mu   sync.Mutex
	text strings.Builder
	hold chan struct{} // Write waits until it is closed, if it is not nil
	err  error
}

func (p *stallingPipe) Write(line []byte) (int, error) {
	p.mu.Lock()
	hold := p.hold
	p.mu.Unlock()
	if hold != nil {
		<-hold
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return 0, p.err
	}
	return p.text.Write(line)
}

func TestALogThatNobodyReadsHoldsNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pipe := &stallingPipe{hold: make(chan struct{})}
		w := newLogWriter(pipe)
		began := time.Now()
		const lines = logLines + 500
		for i := range lines {
			n, err := fmt.Fprintf(w, "line %d\n", i)
			require.NoError(t, err)
			require.Positive(t, n)
		}
		require.LessOrEqual(t, time.Since(began), logWait, "only the first line that does not fit waits")
		lost := w.dropped.Load()
		require.InDelta(t, 500, lost, 2)

		close(pipe.hold)
		synctest.Wait()
		pipe.mu.Lock()
		pipe.hold = nil
		pipe.mu.Unlock()
		_, _ = io.WriteString(w, "after\n")
		w.close()
		text := pipe.text.String()
		require.Contains(t, text, "line 0\n")
		require.Contains(t, text, fmt.Sprintf("%d lines of the log were dropped", lost))
		require.True(t, strings.HasSuffix(text, "after\n"), "it goes on")
	})
}

func TestALogWhoseReaderIsGoneIsDropped(t *testing.T) {
	pipe := &stallingPipe{err: errors.New("broken pipe")}
	w := newLogWriter(pipe)
	for range 10 {
		_, err := io.WriteString(w, "x\n")
		require.NoError(t, err)
	}
	w.close()
	require.EqualValues(t, 10, w.dropped.Load())
}

func TestTheEndWaitsForALogThatStallsNoLongerThanASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pipe := &stallingPipe{hold: make(chan struct{})}
		w := newLogWriter(pipe)
		_, _ = io.WriteString(w, "x\n")
		began := time.Now()
		w.close()
		require.Equal(t, logFlush, time.Since(began))
		close(pipe.hold)
	})
}

package media

import (
	"bufio"
	"context"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/node"
)

// follow reads how far ffmpeg has come, and tells it: in hundredths of the planned length, each
// at most once, never backwards and never past the end.
func follow(ctx context.Context, r io.Reader, planned float64, what string) {
	total := int(planned * 1000)
	last := 0
	readProgress(r, func(done time.Duration) {
		if total <= 0 {
			return
		}
		percent := min(99, int(done.Milliseconds()*100/int64(total)))
		if percent > last {
			last = percent
			node.Progress(ctx, min(total-1, int(done.Milliseconds())), total, what)
		}
	})
}

// readProgress calls at for each time that a stream of progress tells.
func readProgress(r io.Reader, at func(done time.Duration)) {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 4096), 64<<10)
	for s.Scan() {
		text, ok := strings.CutPrefix(s.Text(), "out_time_us=")
		if !ok {
			continue
		}
		us, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err == nil && us >= 0 && us <= maxSeconds*1e6*2 {
			at(time.Duration(us) * time.Microsecond)
		}
	}
	_, _ = io.Copy(io.Discard, r) // a writer that nobody reads would stand still
}

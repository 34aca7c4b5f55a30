package media

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/node"
)

// process is a call of ffmpeg or ffprobe.
type process struct {
	program string
	args    []string
	files   []*os.File // the descriptors 3, 4 …
	dir     string
	stdout  *bytes.Buffer
	limits  limits
	keep    int    // bytes of the beginning of its output to keep; for a failure the end is enough
	said    string // its output, after it has ended
}

// limits are the limits of one process.
type limits struct {
	written uint64 // bytes
	seconds uint64 // of CPU time
	memory  uint64 // bytes of address space
}

func renderLimits() limits { return limits{written: 64 << 30, seconds: 24 * 60 * 60, memory: 16 << 30} }

func lookLimits() limits { return limits{written: 256 << 20, seconds: 120, memory: 4 << 30} }

// failed is the error of a process with an exit status other than 0.
type failed struct {
	err    error
	stderr string
}

func (f *failed) Error() string { return f.err.Error() }
func (f *failed) Unwrap() error { return f.err }

// run starts the process, and waits until it and all its children have ended. When ctx
// ends, it kills them.
func (p *process) run(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, p.program, p.args...)
	cmd.Dir, cmd.ExtraFiles = p.dir, p.files
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "LANG=C.UTF-8", "TMPDIR=" + p.dir}
	cmd.WaitDelay = 500 * time.Millisecond
	stderr := &tail{room: max(p.keep, keptOutput)}
	cmd.Stderr = stderr
	if p.stdout != nil {
		cmd.Stdout = p.stdout
	}
	own(cmd)
	runtime.LockOSThread() // Pdeathsig kills the process when the thread that started it ends
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return coded(codeNotConfigured, "%s cannot be started: %v", filepath.Base(p.program), errors.Unwrap(err))
	}
	bound(cmd.Process.Pid, p.limits)
	err := cmd.Wait()
	p.said = stderr.String()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return &failed{err, stderr.String()}
	}
	return nil
}

// descriptor returns the name by which a process opens its nth file. On systems without
// such names it is the path of the file.
func descriptor(n int, f *os.File) string {
	if hasDescriptors {
		return "file:/dev/fd/" + strconv.Itoa(3+n)
	}
	path, err := filepath.Abs(f.Name())
	if err != nil {
		path = f.Name()
	}
	return "file:" + path
}

// tail keeps the beginning and the end of the text written to it.
type tail struct {
	room      int // bytes of the beginning to keep
	head, end []byte
}

const keptOutput = 8 << 10

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if room := t.room - len(t.head); room > 0 {
		take := min(room, len(p))
		t.head, p = append(t.head, p[:take]...), p[take:]
	}
	t.end = append(t.end, p...)
	if over := len(t.end) - keptOutput; over > 0 {
		t.end = t.end[over:]
	}
	return n, nil
}

func (t *tail) String() string { return string(t.head) + string(t.end) }

// follow reads ffmpeg's progress and reports it in percent of the planned duration. The
// percentage only increases, up to 100.
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

// readProgress calls at for each time in ffmpeg's progress output.
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
	_, _ = io.Copy(io.Discard, r) // otherwise the writer would block
}

package media

import (
	"crypto/rand"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"

	"github.com/gofrs/flock"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/folder"
)

// Config configures the tools. The zero value is enough to list node types.
type Config struct {
	// Files holds the sources and the results; nil means that there are no files.
	Files folder.Files
	// HTTP downloads URLs; nil means that URLs cannot be used.
	HTTP *http.Client
	// Getenv looks up SVC_FFMPEG, SVC_FFPROBE, SVC_MEDIA_PROCESSES and SVC_MEDIA_EAGER; nil means that
	// none is set.
	Getenv func(string) string
	// Scratch is the folder for work files; "" means the system's.
	Scratch string
}

// Tools runs ffmpeg and ffprobe. It is safe for concurrent use.
type Tools struct {
	Config

	ffmpeg, ffprobe string // "" if not installed
	renders, looks  *places
	threads         int // of one process
	probes          *lru.Cache[probeKey, probed]
	build           func() *build // what this ffmpeg supports; computed once
	tally           tally
}

// New returns tools. It removes the temporary folders that dead processes have left in the
// scratch folder. It starts no process.
func New(c Config) *Tools {
	if c.Getenv == nil {
		c.Getenv = func(string) string { return "" }
	}
	if c.Scratch == "" {
		c.Scratch = os.TempDir()
	}
	t := &Tools{Config: c, ffmpeg: find(c.Getenv("SVC_FFMPEG"), "ffmpeg"), ffprobe: find(c.Getenv("SVC_FFPROBE"), "ffprobe")}
	cores := min(runtime.GOMAXPROCS(0), runtime.NumCPU()) // GOMAXPROCS may be larger than the number of CPUs
	n := max(1, cores/4)
	if asked, err := strconv.Atoi(c.Getenv("SVC_MEDIA_PROCESSES")); err == nil && asked > 0 {
		n = min(asked, 1000)
	}
	t.renders, t.looks, t.threads = newPlaces(n), newPlaces(max(2, cores/2)), max(1, cores/n)
	t.probes, _ = lru.New[probeKey, probed](256) // fails only for sizes below 1
	t.build = sync.OnceValue(t.ask)
	sweep(c.Scratch)
	return t
}

// find returns the path of a program: the configured one, or one in PATH.
func find(configured, name string) string {
	if configured != "" {
		name = configured
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return path
}

// Unavailable names the programs that are missing on this machine; "" means none.
func (t *Tools) Unavailable() string {
	switch {
	case t.ffmpeg == "" && t.ffprobe == "":
		return "ffmpeg and ffprobe are not there; install them (apt-get install ffmpeg), or name them in SVC_FFMPEG and SVC_FFPROBE"
	case t.ffmpeg == "":
		return "ffmpeg is not there; install it (apt-get install ffmpeg), or name it in SVC_FFMPEG"
	case t.ffprobe == "":
		return "ffprobe is not there; install it (apt-get install ffmpeg), or name it in SVC_FFPROBE"
	}
	return ""
}

// Eager reports whether every node makes its file at once, for debugging.
func (t *Tools) Eager() bool { return t.Getenv("SVC_MEDIA_EAGER") == "1" }

func (t *Tools) configured() error {
	if why := t.Unavailable(); why != "" {
		return coded(codeNotConfigured, "%s", why)
	}
	if t.Files == nil {
		return node.Errorf(node.CodeForbidden, "workflows may not use files here")
	}
	return nil
}

const scratchPrefix = "svc-media-"

// desk is the temporary folder of one process. It is locked while it is in use, so that
// [sweep] can recognize folders of dead processes.
type desk struct {
	dir  string
	lock *flock.Flock
}

func newDesk(base string) (*desk, error) {
	d := &desk{dir: filepath.Join(base, scratchPrefix+rand.Text())}
	if err := os.Mkdir(d.dir, 0o700); err != nil {
		return nil, err
	}
	d.lock = flock.New(filepath.Join(d.dir, "lock"))
	if _, err := d.lock.TryLock(); err != nil {
		_ = os.RemoveAll(d.dir) // the first error is reported
		return nil, err
	}
	return d, nil
}

// clear removes the folder.
func (d *desk) clear() {
	_ = os.RemoveAll(d.dir) // what cannot be removed now is removed at the next start
	_ = d.lock.Close()
}

// sweep removes the folders of dead processes.
func sweep(base string) {
	left, _ := filepath.Glob(filepath.Join(base, scratchPrefix+"*")) // the pattern is valid
	for _, dir := range left {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
			continue
		}
		lock := flock.New(filepath.Join(dir, "lock"))
		if ours, err := lock.TryLock(); err != nil || !ours {
			_ = lock.Close()
			continue
		}
		_ = os.RemoveAll(dir) // it may belong to another user
		_ = lock.Close()
	}
}

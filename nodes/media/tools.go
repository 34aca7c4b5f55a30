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

// Config says what the tools work with. Its zero value is for looking at node types.
type Config struct {
	// Files is where sources come from and results go to; nil means nowhere.
	Files folder.Files
	// HTTP fetches what is named by a URL; nil means that nothing is.
	HTTP *http.Client
	// Getenv looks up SVC_FFMPEG, SVC_FFPROBE, SVC_MEDIA_PROCESSES and SVC_MEDIA_EAGER; nil means that
	// none is set.
	Getenv func(string) string
	// Scratch is the folder for work files; "" means the system's.
	Scratch string
}

// Tools run ffmpeg and ffprobe. They are safe for concurrent use.
type Tools struct {
	Config

	ffmpeg, ffprobe string // "" if there is none
	renders, looks  *places
	threads         int // of one render
	probes          *lru.Cache[probeKey, probed]
	build           func() *build // what this ffmpeg can do, asked once
	tally           tally
}

// New returns tools, and removes what processes that are no more left in the scratch folder.
// It starts none.
func New(c Config) *Tools {
	if c.Getenv == nil {
		c.Getenv = func(string) string { return "" }
	}
	if c.Scratch == "" {
		c.Scratch = os.TempDir()
	}
	t := &Tools{Config: c, ffmpeg: find(c.Getenv("SVC_FFMPEG"), "ffmpeg"), ffprobe: find(c.Getenv("SVC_FFPROBE"), "ffprobe")}
	cores := min(runtime.GOMAXPROCS(0), runtime.NumCPU()) // Go may run more at once than there are
	n := max(1, cores/4)
	if asked, err := strconv.Atoi(c.Getenv("SVC_MEDIA_PROCESSES")); err == nil && asked > 0 {
		n = min(asked, 1000)
	}
	t.renders, t.looks, t.threads = newPlaces(n), newPlaces(max(2, cores/2)), max(1, cores/n)
	t.probes, _ = lru.New[probeKey, probed](256) // fails for sizes below 1
	t.build = sync.OnceValue(t.ask)
	sweep(c.Scratch)
	return t
}

// find returns where a program is: where the operator says, or on the path.
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

// Unavailable says what is missing on this machine; "" means nothing.
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

// Eager reports whether every node is to make its file, for looking for a fault.
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

// desk is the folder in which one process works. It is locked as long as somebody works
// there, so that the next start can tell what was left behind.
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
		_ = os.RemoveAll(d.dir) // the first error is the one to tell
		return nil, err
	}
	return d, nil
}

// clear removes all that is there.
func (d *desk) clear() {
	_ = os.RemoveAll(d.dir) // what cannot be removed now is removed at the next start
	_ = d.lock.Close()
}

// sweep removes what processes left that are no more.
func sweep(base string) {
	left, _ := filepath.Glob(filepath.Join(base, scratchPrefix+"*")) // the pattern is well formed
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

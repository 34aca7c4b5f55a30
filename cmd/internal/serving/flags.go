package serving

import (
	"cmp"
	"errors"
	"log/slog"
	"math"
	"net/netip"
	"time"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/store"
)

// Flags are what all servers have.
type Flags struct {
	Door
	Work
	Kept
}

// Door says who may come in, and how.
type Door struct {
	Listen

	Prefix         string   `variable:"SVC_PREFIX" placeholder:"PATH" help:"Serve below this path instead of /."`
	AllowAnonymous bool     `variable:"SVC_ALLOW_ANONYMOUS" help:"Ask for no API key. Only behind something that decides who may come in."`
	PublicURL      string   `name:"public-url" variable:"SVC_PUBLIC_URL" placeholder:"URL" help:"Where clients find this server, if that is not the address it listens on."`
	CORSOrigin     []string `name:"cors-origin" variable:"SVC_CORS_ORIGIN" placeholder:"ORIGIN" help:"Origins whose pages may call this server, such as https://app.example.com."`
	Audit          string   `variable:"SVC_AUDIT" placeholder:"FILE" help:"File for a line about each change and each refused call; none for no such file. By default audit.jsonl in the data directory, or the database of a cluster."`
	MaxUpload      int64    `name:"max-upload" variable:"SVC_MAX_UPLOAD" placeholder:"N" help:"How many bytes a file may have that a client sends; 2 GiB if it is not given."`
}

// Work says what workflows may do and take, and how the process is looked after in which they
// run.
type Work struct {
	Probes

	HTTPAllow []netip.Prefix `name:"http-allow" variable:"SVC_HTTP_ALLOW" placeholder:"CIDR" help:"Networks that workflows may reach although they are not public, such as 10.1.0.0/16,fd12::/64."`
	Code      bool           `variable:"SVC_CODE" help:"Let workflows run scripts, in processes of their own that reach nothing."`
	Exec
	NoMedia      bool  `name:"no-media" variable:"SVC_NO_MEDIA" help:"Leave out the nodes for videos, pictures and sound."`
	FilesBytes   int64 `variable:"SVC_FILES_BYTES" placeholder:"N" help:"How many bytes workflows may keep in DIR/files; 10 GiB if it is not given."`
	FilesEntries int   `variable:"SVC_FILES_ENTRIES" placeholder:"N" help:"How many files and folders they may keep there; 1,000,000 if it is not given."`
	Memory
	Grace     time.Duration `default:"25s" variable:"SVC_GRACE" placeholder:"TIME" help:"How long runs may go on when the server stops."`
	LogLevel  slog.Level    `default:"info" variable:"SVC_LOG_LEVEL" placeholder:"LEVEL" help:"What to log: debug (every request), info, warn or error."`
	LogFormat string        `default:"text" enum:"text,json" variable:"SVC_LOG_FORMAT" placeholder:"FORMAT" help:"How to log: text or json."`
	Data
}

// Kept says what is kept of runs.
type Kept struct {
	KeepRuns  int   `default:"10000" variable:"SVC_KEEP_RUNS" placeholder:"N" help:"How many runs are kept; 0 for any number."`
	KeepDays  int   `default:"30" variable:"SVC_KEEP_DAYS" placeholder:"N" help:"How many days runs are kept after their end; 0 for ever."`
	KeepBytes int64 `default:"2147483648" variable:"SVC_KEEP_BYTES" placeholder:"N" help:"How many bytes the journals of all runs may take; 0 for any number."`
	Bounds
	Record string `default:"stored" enum:"all,stored,none" variable:"SVC_RECORD" placeholder:"WHICH" help:"Which of the runs that clients wait for are recorded: all, those of stored workflows, or none."`
}

// Bounds is what one run may have.
type Bounds struct {
	RunBytes int64 `default:"268435456" variable:"SVC_RUN_BYTES" placeholder:"N" help:"How many bytes one run may put down; 0 for any number."`
}

// Data says where the data directory is.
type Data struct {
	Data string `default:"." variable:"SVC_DATA" placeholder:"DIR" help:"Data directory, with the stored workflows. By default the working directory."`
}

// Exec says which commands workflows may run.
type Exec struct {
	ExecAllow []string `name:"exec-allow" variable:"SVC_EXEC_ALLOW" placeholder:"COMMAND" help:"Commands that workflows may run by exec.run, such as git,rsync; none by default. One that can run others lets them run anything."`
}

// Validate implements kong.Validatable.
func (f *Flags) Validate() error {
	if f.MaxUpload < 0 {
		return program.Usagef("--max-upload is a number from 1 on")
	}
	return errors.Join(f.Work.Validate(), f.check(), f.Listen.check())
}

// Validate implements kong.Validatable.
func (w *Work) Validate() error {
	if w.FilesBytes < 0 || w.FilesEntries < 0 {
		return program.Usagef("--files-bytes and --files-entries are numbers from 1 on")
	}
	return w.check()
}

func (k *Kept) check() error {
	const most = math.MaxInt64 / int64(24*time.Hour)
	if k.KeepRuns < 0 || k.KeepDays < 0 || k.KeepBytes < 0 || k.RunBytes < 0 || int64(k.KeepDays) > most {
		return program.Usagef("--keep-runs, --keep-days, --keep-bytes and --run-bytes are numbers from 0 on; 0 is no bound")
	}
	return nil
}

// Retention is what the server keeps of runs.
func (k *Kept) Retention() store.Retention {
	keep := store.Retention{Runs: -1, Age: -1, Bytes: -1}
	if k.KeepRuns > 0 {
		keep.Runs = k.KeepRuns
	}
	if k.KeepDays > 0 {
		keep.Age = time.Duration(k.KeepDays) * 24 * time.Hour
	}
	if k.KeepBytes > 0 {
		keep.Bytes = k.KeepBytes
	}
	return keep
}

// recording is which runs the server records besides those that nobody waits for.
func (k *Kept) recording() app.Recording {
	if k.Record == "stored" {
		return app.RecordStored
	}
	return app.Recording(k.Record)
}

// runBytes is how many bytes one run may put down; less than 0 is no bound.
func (k *Kept) runBytes() int64 { return cmp.Or(k.RunBytes, -1) }

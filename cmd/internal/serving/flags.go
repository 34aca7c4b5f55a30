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

// Flags are the flags of all servers.
type Flags struct {
	Door
	Work
	Kept
}

// Door has the flags for access to the API.
type Door struct {
	Listen

	Prefix         string   `variable:"SVC_PREFIX" placeholder:"PATH" help:"Serve below this path instead of /."`
	AllowAnonymous bool     `variable:"SVC_ALLOW_ANONYMOUS" help:"Require no API key. Use this only behind a proxy that authenticates callers."`
	PublicURL      string   `name:"public-url" variable:"SVC_PUBLIC_URL" placeholder:"URL" help:"Address under which clients reach this server, if it is not the one it listens on."`
	CORSOrigin     []string `name:"cors-origin" variable:"SVC_CORS_ORIGIN" placeholder:"ORIGIN" help:"Origins whose pages may call this server, such as https://app.example.com."`
	Audit          string   `variable:"SVC_AUDIT" placeholder:"FILE" help:"File for the audit log: a line for each change and each refused call. none disables it. By default audit.jsonl in the data directory, or the database of a cluster."`
	MaxUpload      int64    `name:"max-upload" variable:"SVC_MAX_UPLOAD" placeholder:"N" help:"Maximum size of an uploaded file, in bytes. By default 2 GiB."`
}

// Work has the flags for what workflows may do and use, and for the process that runs them.
type Work struct {
	Probes

	HTTPAllow []netip.Prefix `name:"http-allow" variable:"SVC_HTTP_ALLOW" placeholder:"CIDR" help:"Private networks that workflows may reach, such as 10.1.0.0/16,fd12::/64."`
	Code      bool           `variable:"SVC_CODE" help:"Let workflows run scripts, in separate processes without access to files or networks."`
	Exec
	NoMedia      bool  `name:"no-media" variable:"SVC_NO_MEDIA" help:"Remove the nodes for videos, pictures and sound."`
	FilesBytes   int64 `variable:"SVC_FILES_BYTES" placeholder:"N" help:"How many bytes workflows may store in DIR/files. By default 10 GiB."`
	FilesEntries int   `variable:"SVC_FILES_ENTRIES" placeholder:"N" help:"How many files and folders workflows may store there. By default 1,000,000."`
	Memory
	Grace     time.Duration `default:"25s" variable:"SVC_GRACE" placeholder:"TIME" help:"How long runs may continue when the server stops."`
	LogLevel  slog.Level    `default:"info" variable:"SVC_LOG_LEVEL" placeholder:"LEVEL" help:"Lowest level to log: debug (every request), info, warn or error."`
	LogFormat string        `default:"text" enum:"text,json" variable:"SVC_LOG_FORMAT" placeholder:"FORMAT" help:"Format of the log: text or json."`
	Data
}

// Kept has the flags for which runs are recorded, and for how long.
type Kept struct {
	KeepRuns  int   `default:"10000" variable:"SVC_KEEP_RUNS" placeholder:"N" help:"How many runs to keep; 0 for any number."`
	KeepDays  int   `default:"30" variable:"SVC_KEEP_DAYS" placeholder:"N" help:"How many days to keep runs after their end; 0 for ever."`
	KeepBytes int64 `default:"2147483648" variable:"SVC_KEEP_BYTES" placeholder:"N" help:"How many bytes the log of all runs may have; 0 for any number."`
	Bounds
	Record string `default:"stored" enum:"all,stored,none" variable:"SVC_RECORD" placeholder:"WHICH" help:"Which synchronous runs to record: all, those of stored workflows (stored), or none."`
}

// Bounds has the limits of one run.
type Bounds struct {
	RunBytes int64 `default:"268435456" variable:"SVC_RUN_BYTES" placeholder:"N" help:"How many bytes one run may record; 0 for any number."`
}

// Data has the flag for the data directory.
type Data struct {
	Data string `default:"." variable:"SVC_DATA" placeholder:"DIR" help:"Data directory, with the stored workflows. By default the working directory."`
}

// Exec has the flag for commands that workflows may run.
type Exec struct {
	ExecAllow []string `name:"exec-allow" variable:"SVC_EXEC_ALLOW" placeholder:"COMMAND" help:"Commands that workflows may run by exec.run, such as git,rsync; none by default. A command that can run other commands lets workflows run anything."`
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

// Retention returns how long the server keeps runs.
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

// recording returns which synchronous runs are recorded. Asynchronous runs always are.
func (k *Kept) recording() app.Recording {
	if k.Record == "stored" {
		return app.RecordStored
	}
	return app.Recording(k.Record)
}

// runBytes returns how many bytes one run may record; a negative number is no limit.
func (k *Kept) runBytes() int64 { return cmp.Or(k.RunBytes, -1) }

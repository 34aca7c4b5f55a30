package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/netip"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/durable"
)

type serveCmd struct {
	listenFlags
	Prefix         string         `variable:"SVC_PREFIX" placeholder:"PATH" help:"Serve below this path instead of /."`
	AllowAnonymous bool           `variable:"SVC_ALLOW_ANONYMOUS" help:"Ask for no API key. Only behind something that decides who may come in."`
	HTTPAllow      []netip.Prefix `name:"http-allow" variable:"SVC_HTTP_ALLOW" placeholder:"CIDR" help:"Networks that workflows may reach although they are not public, such as 10.1.0.0/16,fd12::/64."`
	Code           bool           `variable:"SVC_CODE" help:"Let workflows run scripts, in processes of their own that reach nothing."`
	execFlag
	PublicURL    string        `name:"public-url" variable:"SVC_PUBLIC_URL" placeholder:"URL" help:"Where clients find this server, if that is not the address it listens on."`
	CORSOrigin   []string      `name:"cors-origin" variable:"SVC_CORS_ORIGIN" placeholder:"ORIGIN" help:"Origins whose pages may call this server, such as https://app.example.com."`
	Audit        string        `variable:"SVC_AUDIT" placeholder:"FILE" help:"File for a line about each change and each refused call; none for no such file. By default audit.jsonl in the data directory."`
	Grace        time.Duration `default:"25s" variable:"SVC_GRACE" placeholder:"TIME" help:"How long runs may go on when the server stops."`
	KeepRuns     int           `default:"10000" variable:"SVC_KEEP_RUNS" placeholder:"N" help:"How many runs are kept; 0 for any number."`
	KeepDays     int           `default:"30" variable:"SVC_KEEP_DAYS" placeholder:"N" help:"How many days runs are kept after their end; 0 for ever."`
	KeepBytes    int64         `default:"2147483648" variable:"SVC_KEEP_BYTES" placeholder:"N" help:"How many bytes the journals of all runs may take; 0 for any number."`
	RunBytes     int64         `default:"268435456" variable:"SVC_RUN_BYTES" placeholder:"N" help:"How many bytes one run may put down; 0 for any number."`
	Record       string        `default:"stored" enum:"all,stored,none" variable:"SVC_RECORD" placeholder:"WHICH" help:"Which of the runs that clients wait for are recorded: all, those of stored workflows, or none."`
	Durability   string        `default:"strict" enum:"strict,relaxed" variable:"SVC_DURABILITY" placeholder:"HOW" help:"When a run counts as recorded: strict (it is on the disk) or relaxed (it is there within 20 ms, which a loss of power can take)."`
	FilesBytes   int64         `variable:"SVC_FILES_BYTES" placeholder:"N" help:"How many bytes workflows may keep in DIR/files; 10 GiB if it is not given."`
	FilesEntries int           `variable:"SVC_FILES_ENTRIES" placeholder:"N" help:"How many files and folders they may keep there; 1,000,000 if it is not given."`
	MaxUpload    int64         `name:"max-upload" variable:"SVC_MAX_UPLOAD" placeholder:"N" help:"How many bytes a file may have that a client sends; 2 GiB if it is not given."`
	NoMedia      bool          `name:"no-media" variable:"SVC_NO_MEDIA" help:"Leave out the nodes for videos, pictures and sound."`
	LogLevel     slog.Level    `default:"info" variable:"SVC_LOG_LEVEL" placeholder:"LEVEL" help:"What to log: debug (every request), info, warn or error."`
	LogFormat    string        `default:"text" enum:"text,json" variable:"SVC_LOG_FORMAT" placeholder:"FORMAT" help:"How to log: text or json."`
	databaseFlag
	memoryFlags
	dataFlag
}

// Help implements kong.HelpProvider.
func (c *serveCmd) Help() string {
	return `Clients send the API key as a bearer token. It is the value of SVC_API_KEY; without that, the server makes one on its first start and keeps it in DIR/api-key. Every flag can also be set by the variable named behind it.

SIGINT and SIGTERM let the server finish the runs it has and end with 0; what outlasts the grace is interrupted and can be resumed. A second signal ends it at once.

Examples:

    svc serve --addr 127.0.0.1:8080 --data ./data
    SVC_API_KEY=$(openssl rand -hex 32) svc serve --prefix /flow`
}

// Run serves until ctx is done.
func (c *serveCmd) Run(ctx context.Context, h *host) error {
	h.noMedia = c.NoMedia
	memory := tuneMemory(h.env)
	key, made, err := c.key(h)
	if err != nil {
		return err
	}
	kept, closeKept, err := c.open(ctx, c.Data)
	if err != nil {
		return err
	}
	defer closeKept()
	log := c.logger(h)
	door, err := c.listen(log)
	if err != nil {
		return err
	}
	service, err := httpapi.New(httpapi.Config{ //nolint:contextcheck // what it starts outlives the signal, to be drained
		RoutePrefix: c.Prefix, APIKey: key, AllowAnonymous: c.AllowAnonymous,
		Store: kept, EnvPlugins: h.plugins, DataDir: c.Data, PublicURL: c.PublicURL, CORSOrigins: c.CORSOrigin, Audit: c.Audit,
		RunMemory: cmp.Or(c.RunMemory, -1), RunCPU: c.RunCPU, Memory: memory, Admit: c.Admit,
		Keep: c.retention(), RunBytes: cmp.Or(c.RunBytes, -1), Relaxed: c.Durability == "relaxed", Record: c.recording(),
		FilesBytes: c.FilesBytes, FilesEntries: c.FilesEntries, MaxUpload: c.MaxUpload, HTTPAllow: c.HTTPAllow, Code: c.child(), Exec: c.ExecAllow, Getenv: h.env, Log: log, Version: program.Version(version),
		Triggers: true,
	})
	if err != nil {
		_ = door.Close()
		return usageError{err}
	}
	probes, stop, err := c.probe(service.Probes(), log)
	if err != nil {
		return errors.Join(err, door.Close(), service.Close(ctx))
	}
	defer stop()
	c.announce(h, log, "listening on "+door.url()+everywhere(door.Addr()))
	if probes != nil {
		c.announce(h, log, "answering probes on http://"+hostOf(probes)+everywhere(probes))
	}
	c.announce(h, log, "its page is "+c.base(door.url())+"/, for any browser")
	c.announce(h, log, c.welcome(door.url(), key != "", made))
	defer settle(ctx)()
	defer c.sweep(ctx)()
	return serve(ctx, door, service, c.Grace, log)
}

// child makes the process for scripts, if there may be any.
func (c *serveCmd) child() func() *exec.Cmd {
	if c.Code {
		return program.Child
	}
	return nil
}

// retention is what the server keeps of runs.
func (c *serveCmd) retention() store.Retention {
	keep := store.Retention{Runs: -1, Age: -1, Bytes: -1}
	if c.KeepRuns > 0 {
		keep.Runs = c.KeepRuns
	}
	if c.KeepDays > 0 {
		keep.Age = time.Duration(c.KeepDays) * 24 * time.Hour
	}
	if c.KeepBytes > 0 {
		keep.Bytes = c.KeepBytes
	}
	return keep
}

// recording is which runs the server records besides those that nobody waits for.
func (c *serveCmd) recording() app.Recording {
	if c.Record == "stored" {
		return app.RecordStored
	}
	return app.Recording(c.Record)
}

// Validate implements kong.Validatable.
func (c *serveCmd) Validate() error {
	if c.FilesBytes < 0 || c.FilesEntries < 0 || c.MaxUpload < 0 {
		return usagef("--files-bytes, --files-entries and --max-upload are numbers from 1 on")
	}
	const most = math.MaxInt64 / int64(24*time.Hour)
	if c.KeepRuns < 0 || c.KeepDays < 0 || c.KeepBytes < 0 || c.RunBytes < 0 || int64(c.KeepDays) > most {
		return usagef("--keep-runs, --keep-days, --keep-bytes and --run-bytes are numbers from 0 on; 0 is no bound")
	}
	return errors.Join(c.memoryFlags.check(), c.listenFlags.check())
}

// sweep removes, beside everything else, what a crash has left of files that workflows
// were writing. The returned function ends it.
func (c *serveCmd) sweep(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var sweeping sync.WaitGroup
	sweeping.Go(func() {
		for ctx.Err() == nil { // a server that starts at once after a crash finds leftovers that are too young
			_ = durable.Sweep(ctx, filepath.Join(c.Data, filesDir)) // the next time goes on
			select {
			case <-ctx.Done():
			case <-time.After(durable.LeftAfter):
			}
		}
	})
	return func() {
		cancel()
		sweeping.Wait()
	}
}

// key returns the key to pass on: "" if there is one in the environment, which
// httpapi reads, or none is asked for.
func (c *serveCmd) key(h *host) (key string, made bool, err error) {
	switch v, _ := h.env(keyVariable); {
	case v != "" && c.AllowAnonymous:
		return "", false, usagef("--allow-anonymous asks for no key although %s holds one; remove one of the two", keyVariable)
	case v != "" || c.AllowAnonymous:
		return "", false, nil
	}
	return storedKey(c.Data)
}

func (c *serveCmd) logger(h *host) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(h.stderr, options))
	}
	return slog.New(slog.NewTextHandler(h.stderr, options))
}

// announce tells whoever started the server something, in a line that can be
// copied, or as a record where only records may be.
func (c *serveCmd) announce(h *host, log *slog.Logger, text string) {
	if c.LogFormat == "json" {
		log.Info(text)
		return
	}
	h.errorf("%s", text)
}

// welcome tells how to send a first request. It names the place of the key and
// never the key.
func (c *serveCmd) welcome(url string, inFile, made bool) string {
	path := shellWord(filepath.Join(c.Data, keyFile))
	source, secret := "from "+keyVariable, "$"+keyVariable
	switch {
	case c.AllowAnonymous:
		return "anyone who reaches it may use it; try: curl " + shellWord(c.endpoint(url))
	case made:
		source, secret = "new and in "+path, "$(cat "+path+")"
	case inFile:
		source, secret = "in "+path, "$(cat "+path+")"
	}
	return fmt.Sprintf("the API key is %s; try: curl -H \"Authorization: Bearer %s\" %s", source, secret, shellWord(c.endpoint(url)))
}

// endpoint returns the address of a route to try.
func (c *serveCmd) endpoint(url string) string { return c.base(url) + "/nodes" }

// base returns the address that routes are below, of a server at url.
func (c *serveCmd) base(url string) string {
	if c.PublicURL != "" {
		return strings.TrimRight(c.PublicURL, "/")
	}
	if prefix := strings.Trim(c.Prefix, "/"); prefix != "" {
		return url + "/" + prefix
	}
	return url
}

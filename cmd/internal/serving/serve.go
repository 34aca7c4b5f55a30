package serving

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/httpapi"
)

// Serve serves until ctx is done. with completes the configuration that the flags give.
func (f *Flags) Serve(ctx context.Context, p *Process, with func(c *httpapi.Config, log *slog.Logger) error) error {
	key, made, err := f.key(p)
	if err != nil {
		return err
	}
	p, done := p.Buffered()
	defer done()
	log := f.Log(p)
	program.OnHangup(ctx, func() { log.Info("SIGHUP received; there is no configuration file to reload") })
	defer program.OnHangup(ctx, func() {})
	door, err := f.Listen.open(log)
	if err != nil {
		return err
	}
	service, err := f.service(p, key, log, with) //nolint:contextcheck // what it starts outlives the signal, to be drained
	if err != nil {
		_ = door.Close()
		return err
	}
	probes, stop, err := f.Probes.open(service.Probes(), log)
	if err != nil {
		return errors.Join(err, door.Close(), service.Close(ctx))
	}
	defer stop()
	f.announce(p, log, "listening on "+door.url()+everywhere(door.Addr()))
	f.announceProbes(p, log, probes)
	f.announce(p, log, "its page is "+f.base(door.url())+"/, for any browser")
	f.announce(p, log, f.welcome(door.url(), key != "", made))
	defer settle(ctx, service, func() { pace(p.Env, gcPercent) })()
	defer f.sweep(ctx)()
	return serve(ctx, door, service, f.Grace, log)
}

// service makes the service that answers requests.
func (f *Flags) service(p *Process, key string, log *slog.Logger, with func(c *httpapi.Config, log *slog.Logger) error) (*httpapi.Service, error) {
	c := f.config(p, log)
	pace(p.Env, openingPercent)
	c.RoutePrefix, c.APIKey, c.AllowAnonymous = f.Prefix, key, f.AllowAnonymous
	c.PublicURL, c.CORSOrigins, c.Audit, c.MaxUpload = f.PublicURL, f.CORSOrigin, f.Audit, f.MaxUpload
	c.Keep, c.RunBytes, c.Record = f.Retention(), f.runBytes(), f.recording()
	if err := with(&c, log); err != nil {
		return nil, err
	}
	service, err := httpapi.New(c)
	if err != nil {
		return nil, program.UsageError{Err: err}
	}
	return service, nil
}

// key returns the API key for the service: "" if the environment has one, which httpapi reads,
// or if none is required.
func (f *Flags) key(p *Process) (key string, made bool, err error) {
	switch v := p.getenv(KeyVariable); {
	case v != "" && f.AllowAnonymous:
		return "", false, program.Usagef("--allow-anonymous requires no key, but %s has one; remove one of the two", KeyVariable)
	case v != "" || f.AllowAnonymous:
		return "", false, nil
	}
	return storedKey(f.Data.Data)
}

// welcome returns a line with a first request. It names the file of the key, never the key.
func (f *Flags) welcome(url string, inFile, made bool) string {
	path := program.Shell(filepath.Join(f.Data.Data, keyFile))
	source, secret := "from "+KeyVariable, "$"+KeyVariable
	switch {
	case f.AllowAnonymous:
		return "anyone who reaches it may use it; try: curl " + program.Shell(f.endpoint(url))
	case made:
		source, secret = "new and in "+path, "$(cat "+path+")"
	case inFile:
		source, secret = "in "+path, "$(cat "+path+")"
	}
	return fmt.Sprintf("the API key is %s; try: curl -H \"Authorization: Bearer %s\" %s", source, secret, program.Shell(f.endpoint(url)))
}

// endpoint returns the address of a route for a first request.
func (f *Flags) endpoint(url string) string { return f.base(url) + "/nodes" }

// base returns the address of all routes of a server at url.
func (f *Flags) base(url string) string {
	if f.PublicURL != "" {
		return strings.TrimRight(f.PublicURL, "/")
	}
	if prefix := strings.Trim(f.Prefix, "/"); prefix != "" {
		return url + "/" + prefix
	}
	return url
}

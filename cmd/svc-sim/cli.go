package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/svcflow/svc/nodes/sim"
)

// The exit statuses of failures.
const (
	exitFailed  = 1
	exitInvalid = 2
)

// cli is the command line.
type cli struct {
	Addr    string      `default:"127.0.0.1:8090" placeholder:"HOST:PORT" help:"Address to listen on; port 0 takes any free one. Default ${default}."`
	Profile sim.Profile `default:"spec" enum:"spec,live" help:"Calls to accept: spec (those of the specification) or live (those of the networks' public APIs). Default ${default}."`
	Seed    string      `type:"existingfile" placeholder:"FILE" help:"File with initial data: accounts, posts and trends."`
	Faults  string      `type:"existingfile" placeholder:"FILE" help:"File with faults to simulate."`
	Limit   limit       `default:"450/15m" placeholder:"N/TIME" help:"Rate limit for one token of the microblogging network. Default ${default}."`
	Show    bool        `name:"show-seed" help:"Print the initial data in the format of --seed, and end."`
	Token   lifetime    `name:"token-lifetime" default:"2h" placeholder:"TIME" help:"Lifetime of access tokens of logins. Default ${default}."`
}

// lifetime is a duration above zero.
type lifetime time.Duration

// UnmarshalText implements [encoding.TextUnmarshaler].
func (l *lifetime) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is not a time such as 90s", text)
	}
	*l = lifetime(d)
	return nil
}

// limit is a number of requests in a time, such as 450/15m.
type limit sim.Limit

// UnmarshalText implements [encoding.TextUnmarshaler].
func (l *limit) UnmarshalText(text []byte) error {
	requests, window, _ := strings.Cut(string(text), "/")
	n, err := strconv.Atoi(requests)
	d, errWindow := time.ParseDuration(window)
	if err != nil || errWindow != nil || n < 1 || d < time.Second {
		return fmt.Errorf("%q is not a limit such as 450/15m", text)
	}
	*l = limit{Requests: n, Window: d}
	return nil
}

const description = `svc-sim plays the professional and the microblogging network, so that workflows that use them can be tried without an account. It is as strict as they are: it wants tokens, scopes and well-formed requests, counts requests, and refuses to post the same twice. What is posted, liked and sent is kept until it ends.

To begin, in two terminals:

    svc-sim > sim.env

    . ./sim.env
    svc run template:search-like-message --input recipient=9HfGrace

The variables in sim.env lead svc to the simulators and hold tokens for pronet:main, pronet:company, microblog:main and microblog:bot. Logging in works too, and consents at once:

    unset MICROBLOG_MAIN
    svc credentials login microblog:main

A file of faults makes calls fail, by network and by the node that makes them (or me, upload, register_upload, token; * is all):

    {"microblog": [
      {"route": "post_tweet", "times": 1, "status": 429, "header": {"Retry-After": "3"}},
      {"route": "like_tweet", "skip": 2, "status": 403},
      {"route": "send_dm", "break": "cut", "after": true},
      {"route": "*", "delayMs": 500}]}

The first fault that fits a request is its. "skip" requests go well before, "times" go wrong. "break" is cut (no answer), garbage, html, huge or redirect (with an address in "to"). "after" lets the network do what it was asked to before its answer goes wrong.`

// run parses args, serves until ctx is done, and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var c cli
	helped := false
	parser, err := kong.New(&c, kong.Name("svc-sim"), kong.Description(description), kong.Writers(stdout, stderr),
		kong.Exit(func(int) { helped = true }), kong.ConfigureHelp(kong.HelpOptions{WrapUpperBound: 100}))
	if err != nil {
		return report(stderr, err, exitFailed) // a mistake in the grammar, which every test would show
	}
	_, err = parser.Parse(args)
	switch {
	case helped:
		return 0
	case err != nil:
		return report(stderr, fmt.Errorf("%w; see `svc-sim --help`", err), exitInvalid)
	}
	if c.Show {
		err = showSeeds(stdout)
	} else {
		err = c.serve(ctx, stdout, stderr)
	}
	switch {
	case errors.As(err, new(fileError)):
		return report(stderr, err, exitInvalid)
	case err != nil:
		return report(stderr, err, exitFailed)
	}
	return 0
}

// fileError is a mistake in a file that the command line names.
type fileError struct{ error }

// Unwrap returns the mistake.
func (e fileError) Unwrap() error { return e.error }

func report(stderr io.Writer, err error, status int) int {
	fmt.Fprintf(stderr, "svc-sim: %v\n", err) //nolint:errcheck // there is nowhere left to say so
	return status
}

// showSeeds prints the initial data of the networks.
func showSeeds(stdout io.Writer) error {
	seeds, err := sim.DefaultSeeds()
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(seeds)
}

// config reads the files that the command line names.
func (c *cli) config() (seeds map[string]*sim.Seed, faults map[string][]sim.Fault, err error) {
	if seeds, err = sim.DefaultSeeds(); err != nil {
		return nil, nil, err
	}
	if c.Seed != "" {
		own, err := read(c.Seed, sim.ParseSeeds)
		if err != nil {
			return nil, nil, err
		}
		maps.Copy(seeds, own)
	}
	if c.Faults != "" {
		faults, err = read(c.Faults, sim.ParseFaults)
	}
	return seeds, faults, err
}

// read reads a file; its errors name it.
func read[T any](path string, parse func([]byte) (T, error)) (T, error) {
	var none T
	text, err := os.ReadFile(path)
	if err != nil {
		return none, err
	}
	parsed, err := parse(text)
	if err != nil {
		return none, fileError{fmt.Errorf("%s: %w", path, err)}
	}
	return parsed, nil
}

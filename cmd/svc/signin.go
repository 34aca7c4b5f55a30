package main

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/url"
	"strings"

	"github.com/svcflow/svc/httpapi/client"
)

type signInCmd struct {
	URL     string `arg:"" name:"url" help:"Address of the server, such as https://svc.example.org."`
	Profile string `placeholder:"NAME" help:"Name of the profile. By default the host of the address."`
	KeyFile string `placeholder:"FILE" help:"File with the API key. By default the key is asked for, or read from standard input."`
	outputFlag
}

// Help implements kong.HelpProvider.
func (c *signInCmd) Help() string {
	return `Keeps the address and the key as a profile in profiles.json, which only you can read, in $SVC_CONFIG_DIR or else below your directory for settings. The profile becomes the current one: commands that can work on a server work there from now on and say so; --local is for this machine. The key is never given as an argument, where other users of the computer could see it.

Examples:

    svc login https://svc.example.org
    svc login http://127.0.0.1:8080 --profile mine --key-file data/api-key`
}

// Run keeps the profile, if the server takes the key.
func (c *signInCmd) Run(ctx context.Context, h *host) error {
	server := c.URL
	if !strings.Contains(server, "://") {
		return usagef("the address of the server has to begin with https:// or http://, as in https://%s", oneLine(server))
	}
	name := cmp.Or(c.Profile, profileNameOf(server))
	if err := checkProfileName(name); err != nil {
		return err
	}
	all, err := h.profiles()
	if err != nil {
		return err
	}
	key, err := c.admission(ctx, h)
	if err != nil {
		return err
	}
	all.Profiles[name] = profile{Server: strings.TrimRight(server, "/"), Key: key}
	all.Current = name
	if err := h.keep(all); err != nil {
		return err
	}
	done := signedIn{Profile: name, Server: all.Profiles[name].Server}
	return c.answer(h, done, "logged in at "+done.Server+" (profile "+name+", now the current one)\n")
}

// signedIn is what svc login and svc profiles use answer.
type signedIn struct {
	Profile string `json:"profile"`
	Server  string `json:"server"`
}

// admission returns a key that the server takes; "" if it asks for none.
func (c *signInCmd) admission(ctx context.Context, h *host) (string, error) {
	try := func(key string) error {
		server, err := client.New(client.Config{URL: c.URL, APIKey: key})
		if err != nil {
			return usageError{Err: err}
		}
		if key == "" {
			if _, err := server.Health(ctx); err != nil {
				return err
			}
		}
		return server.Admitted(ctx)
	}
	refused := &client.Error{Code: client.CodeUnauthorized}
	if err := try(""); !errors.Is(err, refused) {
		return "", err
	}
	if inTheClear(c.URL) {
		h.errorf("%s is not encrypted: whoever is between you and the server can read the key", c.URL)
	}
	key, err := c.key(h)
	switch {
	case err != nil:
		return "", err
	case key == "":
		return "", usagef("the server asks for its API key, and none was given; write it to standard input, or name its file with --key-file FILE")
	}
	err = try(key)
	if errors.Is(err, refused) {
		return "", errors.New("the server does not take this API key; nothing was kept")
	}
	return key, err
}

func (c *signInCmd) key(h *host) (string, error) {
	if c.KeyFile == "" {
		key, err := h.ask("API key of " + oneLine(c.URL))
		return strings.TrimSpace(key), err
	}
	text, err := h.read(c.KeyFile)
	return strings.TrimSpace(string(text)), err
}

// inTheClear reports whether what is sent to the server crosses a network unencrypted.
func inTheClear(server string) bool {
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "http" || u.Hostname() == "localhost" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return ip == nil || !ip.IsLoopback()
}

type signOutCmd struct {
	Profile string `arg:"" optional:"" name:"profile" complete:"profile" help:"The profile to forget. By default the current one."`
	outputFlag
}

// Help implements kong.HelpProvider.
func (c *signOutCmd) Help() string {
	return `The key stays valid at the server; whoever runs that can revoke it. After the current profile is forgotten, commands work on this machine.

Examples:

    svc logout
    svc logout svc.example.org`
}

// Run forgets the profile.
func (c *signOutCmd) Run(h *host) error {
	all, err := h.profiles()
	if err != nil {
		return err
	}
	name := cmp.Or(c.Profile, all.Current)
	if name == "" {
		return usagef("no profile is current; name the one to forget, which `svc profiles` lists")
	}
	gone, ok := all.Profiles[name]
	if !ok {
		return noProfile(name)
	}
	delete(all.Profiles, name)
	if all.Current == name {
		all.Current = ""
	}
	if err := h.keep(all); err != nil {
		return err
	}
	return c.answer(h, signedIn{Profile: name, Server: gone.Server}, "logged out of "+gone.Server+" (profile "+name+")\n")
}

func noProfile(name string) error {
	return usagef("there is no profile %q; `svc profiles` lists them, and `svc login URL` makes one", oneLine(name))
}

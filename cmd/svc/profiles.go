package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/httpapi/client"
)

// configVariable names the directory of profilesFile. The default is svc in the user's
// configuration directory.
const configVariable = "SVC_CONFIG_DIR"

// profilesFile stores profiles. It contains keys, so only its owner may read it.
const profilesFile = "profiles.json"

// profiles are the servers where the user is logged in.
type profiles struct {
	Current  string             `json:"current,omitempty"` // "" for none
	Profiles map[string]profile `json:"profiles"`
}

// profile is a server and its key.
type profile struct {
	Server string `json:"server"`
	Key    string `json:"key,omitempty"` // "" for a server that requires none
}

// keyOf returns the stored key of the server at that address; "" without one.
func (p *profiles) keyOf(server string) string {
	for _, name := range slices.Sorted(maps.Keys(p.Profiles)) {
		if kept := p.Profiles[name]; strings.TrimRight(kept.Server, "/") == strings.TrimRight(server, "/") {
			return kept.Key
		}
	}
	return ""
}

// profiles reads the stored profiles. A missing file has none.
func (h *host) profiles() (*profiles, error) {
	none := &profiles{Profiles: map[string]profile{}}
	path, err := h.profilesPath()
	if err != nil || path == "" {
		return none, nil //nolint:nilerr // a user without a home has no profiles
	}
	text, err := ownText(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return none, nil
	case err != nil:
		return nil, err
	}
	if err := json.Unmarshal(text, none); err != nil || none.Profiles == nil {
		return nil, fmt.Errorf("%s is damaged; delete it and log in again", path)
	}
	return none, nil
}

// ownText reads a file with secrets. It fails if others can read the file, too.
func ownText(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("others can read the API keys in %s (its mode is %04o); run: chmod 600 %s", path, mode, program.Shell(path))
	}
	return os.ReadFile(path)
}

// saveProfiles replaces the stored profiles.
func (h *host) saveProfiles(p *profiles) error {
	path, err := h.profilesPath()
	switch {
	case err != nil:
		return err
	case path == "":
		return usagef("there is no place to keep profiles in; set %s to a directory", configVariable)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	return durable.Replace(path, append(text, '\n'), durable.Options{})
}

// profilesPath returns the path of profilesFile; "" for a user without a home directory.
func (h *host) profilesPath() (string, error) {
	if dir := h.getenv(configVariable); dir != "" {
		return filepath.Join(dir, profilesFile), nil
	}
	if h.getenv("HOME")+h.getenv("XDG_CONFIG_HOME")+h.getenv("AppData") == "" {
		return "", nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "svc", profilesFile), nil
}

// checkProfileName returns an error if a profile cannot have that name.
func checkProfileName(name string) error {
	if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$`).MatchString(name) {
		return usagef("the name of a profile has up to 100 letters, digits and . _ : -; %q will not do", oneLine(name))
	}
	return nil
}

// profileNameOf returns the default name for the profile of a server.
func profileNameOf(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return ""
	}
	return strings.Trim(u.Host, "[]:")
}

type profilesCmd struct {
	List listProfilesCmd `cmd:"" default:"withargs" help:"List the profiles."`
	Use  useProfileCmd   `cmd:"" help:"Select the current profile, or none."`
}

// Help implements kong.HelpProvider.
func (c *profilesCmd) Help() string {
	return `A profile is a server where you are logged in. Commands that can use a server take the first of: --server, --profile, --local or --data (this machine) on the command line; SVC_SERVER or SVC_PROFILE; SVC_DATA; the current profile; this machine. They print which server it is, unless the command line does.

Examples:

    svc profiles
    svc profiles use svc.example.org
    svc workflows list --profile svc.example.org`
}

type listProfilesCmd struct {
	outputFlag
}

// Help implements kong.HelpProvider.
func (c *listProfilesCmd) Help() string {
	return `Prints each profile: name, address of its server, and whether it is current. Never prints keys.

Examples:

    svc profiles
    svc profiles list --output json`
}

// shownProfile is a profile in the list of svc profiles.
type shownProfile struct {
	Profile string `json:"profile"`
	Server  string `json:"server"`
	Current bool   `json:"current"`
}

// Run lists the profiles.
func (c *listProfilesCmd) Run(h *host) error {
	all, err := h.profiles()
	if err != nil {
		return err
	}
	shown := make([]shownProfile, 0, len(all.Profiles))
	for _, name := range slices.Sorted(maps.Keys(all.Profiles)) {
		shown = append(shown, shownProfile{Profile: name, Server: all.Profiles[name].Server, Current: name == all.Current})
	}
	t := newTable("PROFILE", "SERVER", "CURRENT")
	for _, p := range shown {
		current := "-"
		if p.Current {
			current = "current"
		}
		t.row(p.Profile, p.Server, current)
	}
	return c.answer(h, shown, t.text())
}

type useProfileCmd struct {
	Name string `arg:"" optional:"" name:"profile" complete:"profile" help:"The profile."`
	None bool   `help:"Use this machine by default."`
	outputFlag
}

// Help implements kong.HelpProvider.
func (c *useProfileCmd) Help() string {
	return `Examples:

    svc profiles use svc.example.org
    svc profiles use --none`
}

// Run makes the profile the current one.
func (c *useProfileCmd) Run(h *host) error {
	if c.None == (c.Name != "") {
		return usagef("name a profile, or give --none")
	}
	all, err := h.profiles()
	if err != nil {
		return err
	}
	p, ok := all.Profiles[c.Name]
	if !ok && !c.None {
		return noProfile(c.Name)
	}
	all.Current = c.Name
	if err := h.saveProfiles(all); err != nil {
		return err
	}
	text := "commands work on this machine now\n"
	if !c.None {
		text = "commands work at " + p.Server + " now (profile " + c.Name + ")\n"
	}
	return c.answer(h, signedIn{Profile: c.Name, Server: p.Server}, text)
}

type signInCmd struct {
	URL     string `arg:"" name:"url" help:"Address of the server, such as https://svc.example.org."`
	Profile string `placeholder:"NAME" help:"Name of the profile. By default the host of the address."`
	KeyFile string `placeholder:"FILE" help:"File with the API key. By default svc asks for the key, or reads it from standard input."`
	outputFlag
}

// Help implements kong.HelpProvider.
func (c *signInCmd) Help() string {
	return `Stores the address and the key as a profile in profiles.json, which only you can read, in $SVC_CONFIG_DIR or else in your configuration directory. The profile becomes the current one: commands that can use a server use it from now on and print its name; --local selects this machine. The key is never given as an argument, where other users of the computer could see it.

Examples:

    svc login https://svc.example.org
    svc login http://127.0.0.1:8080 --profile mine --key-file data/api-key`
}

// Run stores the profile, if the server accepts the key.
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
	if err := h.saveProfiles(all); err != nil {
		return err
	}
	done := signedIn{Profile: name, Server: all.Profiles[name].Server}
	return c.answer(h, done, "logged in at "+done.Server+" (profile "+name+", now the current one)\n")
}

// signedIn is the answer of svc login and svc profiles use.
type signedIn struct {
	Profile string `json:"profile"`
	Server  string `json:"server"`
}

// admission returns a key that the server accepts; "" if it requires none.
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
		return "", errors.New("the server does not accept this API key; nothing was stored")
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

// inTheClear reports whether requests to the server cross a network without encryption.
func inTheClear(server string) bool {
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "http" || u.Hostname() == "localhost" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return ip == nil || !ip.IsLoopback()
}

type signOutCmd struct {
	Profile string `arg:"" optional:"" name:"profile" complete:"profile" help:"The profile to delete. By default the current one."`
	outputFlag
}

// Help implements kong.HelpProvider.
func (c *signOutCmd) Help() string {
	return `The key stays valid until the operator of the server revokes it. Without a current profile, commands use this machine.

Examples:

    svc logout
    svc logout svc.example.org`
}

// Run deletes the profile.
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
	if err := h.saveProfiles(all); err != nil {
		return err
	}
	return c.answer(h, signedIn{Profile: name, Server: gone.Server}, "logged out of "+gone.Server+" (profile "+name+")\n")
}

func noProfile(name string) error {
	return usagef("there is no profile %q; `svc profiles` lists them, and `svc login URL` makes one", oneLine(name))
}

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/store/durable"
)

// configVariable names the directory of profilesFile, if that is not svc in the user's own
// directory for settings.
const configVariable = "SVC_CONFIG_DIR"

// profilesFile keeps profiles. It holds keys, so only its owner can read it.
const profilesFile = "profiles.json"

// profiles are the servers that the user has logged in at.
type profiles struct {
	Current  string             `json:"current,omitempty"` // "" for none
	Profiles map[string]profile `json:"profiles"`
}

// profile is a server, and the key that it takes.
type profile struct {
	Server string `json:"server"`
	Key    string `json:"key,omitempty"` // "" for a server that asks for none
}

// keyOf returns the key that is kept for the server at that address; "" if there is none.
func (p *profiles) keyOf(server string) string {
	for _, name := range slices.Sorted(maps.Keys(p.Profiles)) {
		if kept := p.Profiles[name]; strings.TrimRight(kept.Server, "/") == strings.TrimRight(server, "/") {
			return kept.Key
		}
	}
	return ""
}

// profiles returns what is kept; none if that is nothing.
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

// ownText reads a file with secrets, which nobody but its owner may be able to read.
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

// keep replaces what is kept.
func (h *host) keep(p *profiles) error {
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

// profilesPath returns where profiles are kept; "" for a user without a home.
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

// checkProfileName says so if no profile can have that name.
func checkProfileName(name string) error {
	if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$`).MatchString(name) {
		return usagef("the name of a profile has up to 100 letters, digits and . _ : -; %q will not do", oneLine(name))
	}
	return nil
}

// profileNameOf names the profile of a server whose user has not named it.
func profileNameOf(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return ""
	}
	return strings.Trim(u.Host, "[]:")
}

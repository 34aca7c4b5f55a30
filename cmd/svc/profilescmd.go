package main

import (
	"maps"
	"slices"
)

type profilesCmd struct {
	List listProfilesCmd `cmd:"" default:"withargs" help:"List the profiles."`
	Use  useProfileCmd   `cmd:"" help:"Make a profile the current one, or none."`
}

// Help implements kong.HelpProvider.
func (c *profilesCmd) Help() string {
	return `A profile is a server that you are logged in at. Commands that can work on a server use, in this order: --server, --profile or --local of the command line, or its --data, which is this machine; SVC_SERVER or SVC_PROFILE; SVC_DATA; the current profile; this machine. They say which server it is, unless the command line does.

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
	return `Of each profile: name, the address of its server, and whether it is current. Keys are never shown.

Examples:

    svc profiles
    svc profiles list --output json`
}

// shownProfile is a profile as svc profiles lists it.
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
	None bool   `help:"Let commands work on this machine unless they are told otherwise."`
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
	if err := h.keep(all); err != nil {
		return err
	}
	text := "commands work on this machine now\n"
	if !c.None {
		text = "commands work at " + p.Server + " now (profile " + c.Name + ")\n"
	}
	return c.answer(h, signedIn{Profile: c.Name, Server: p.Server}, text)
}

// Package mediaai is the plugin "media-ai": nodes that speak, listen and read. Who does it is
// the API that the operator has configured, else his command, else what is on the machine.
// Pictures and sound go there only after ffmpeg has rewritten them.
package mediaai

import (
	"context"
	"net/http"
	"time"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/media"
	"github.com/svcflow/svc/nodes/service"
)

// Config says who speaks, listens and reads.
type Config struct {
	// Tools run programs, and rewrite what these get.
	Tools *media.Tools
	// Getenv looks up the variables that begin with MEDIA_AI_; nil means that none is set.
	Getenv func(string) string
	// Credentials is where the keys of APIs come from.
	Credentials credentials.Provider
	// Transport carries requests to the API that the operator has configured; nil means the
	// usual one.
	Transport http.RoundTripper
}

// New returns the plugin.
func New(c Config) node.Plugin {
	if c.Getenv == nil {
		c.Getenv = func(string) string { return "" }
	}
	a := &ai{Tools: c.Tools, getenv: c.Getenv, secrets: service.Resolver{Provider: c.Credentials}, spoken: newSpoken()}
	// An answer that leads elsewhere would take the key along.
	a.web = &http.Client{Transport: c.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	all := []node.Node{a.speech(), a.say(), a.qwen3(), a.oute(), a.listening(), a.reading(), a.describing()}
	for i := range all {
		all[i].Spec.Unavailable = c.Tools.Unavailable()
	}
	return node.Bundle{
		Name: "media-ai", Category: "Media AI", Card: node.Card{Shape: "card", Color: "#EA580C", Icon: "sparkles"},
		Nodes: append(all, captionStyle(), promptEnhance()),
	}
}

// ai is what the nodes share.
type ai struct {
	*media.Tools

	getenv  func(string) string
	secrets service.Resolver
	web     *http.Client
	spoken  *spoken
}

// longest is how long a node may take.
const longest = time.Hour

// asking makes a node type of a function.
func asking[In, Out any](typ, label string, fn func(context.Context, In) (Out, error)) node.Node {
	return node.Func(typ, label, fn).Timeout(longest)
}

// task is what somebody is asked for; its name is a part of the variables that are about it.
type task struct {
	variable string // MEDIA_AI_ and this and _URL, _COMMAND, _MODEL
	model    string // of the API, if nobody says another
	lacks    string // what is to be installed where nobody does it
}

// way says who does a task.
type way struct {
	address, command string
	key              value.Credential
}

func (a *ai) set(t task, what string) string { return a.getenv("MEDIA_AI_" + t.variable + "_" + what) }

// choose returns by which engine a task is done: api, command or builtin.
func (a *ai) choose(t task, engine string, key value.Credential) (string, way, error) {
	w := way{address: a.set(t, "URL"), command: a.set(t, "COMMAND"), key: key}
	if w.address == "" && t.variable != "QWEN3" && t.variable != "OUTE" {
		w.address = a.getenv("MEDIA_AI_URL")
	}
	switch {
	case engine == "api" && w.address == "":
		return "", w, missing("no API is configured; set MEDIA_AI_%s_URL or MEDIA_AI_URL to its address", t.variable)
	case engine == "command" && w.command == "":
		return "", w, missing("no command is configured; set MEDIA_AI_%s_COMMAND to its path", t.variable)
	case engine != "auto":
		return engine, w, nil
	case w.address != "":
		return "api", w, nil
	case w.command != "":
		return "command", w, nil
	}
	return "builtin", w, nil
}

func missing(format string, args ...any) error {
	e := node.Errorf(service.CodeNotConfigured, format, args...)
	e.Permanent = true
	return e
}

func refused(format string, args ...any) error {
	e := node.Errorf(node.CodeInvalidInput, format, args...)
	e.Permanent = true
	return e
}

// Package mediaai is the plugin "media-ai": nodes for text to speech, speech to text and
// text in images. Each task is done by the API that the operator has configured, else by
// the operator's command, else by programs on the machine. Images and sounds are passed on
// only after ffmpeg has re-encoded them.
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

// Config sets the tools and services that the nodes use.
type Config struct {
	// Tools runs programs and re-encodes their inputs.
	Tools *media.Tools
	// Getenv looks up the variables that begin with MEDIA_AI_; nil means that none is set.
	Getenv func(string) string
	// Credentials provides the keys of APIs.
	Credentials credentials.Provider
	// Transport sends requests to the API that the operator has configured; nil means
	// [http.DefaultTransport].
	Transport http.RoundTripper
}

// New returns the plugin.
func New(c Config) node.Plugin {
	if c.Getenv == nil {
		c.Getenv = func(string) string { return "" }
	}
	a := &ai{Tools: c.Tools, getenv: c.Getenv, secrets: service.Resolver{Provider: c.Credentials}, spoken: newSpoken()}
	// A redirect is not followed: it would send the key to another host.
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

// ai is the state that the nodes share.
type ai struct {
	*media.Tools

	getenv  func(string) string
	secrets service.Resolver
	web     *http.Client
	spoken  *spoken
}

// longest is the timeout of the nodes.
const longest = time.Hour

// asking returns a node type that calls fn and has the timeout longest.
func asking[In, Out any](typ, label string, fn func(context.Context, In) (Out, error)) node.Node {
	return node.Func(typ, label, fn).Timeout(longest)
}

// task is something that an engine is asked to do, such as reading text aloud.
type task struct {
	variable string // part of MEDIA_AI_<variable>_URL, _COMMAND and _MODEL
	model    string // the API's model unless _MODEL is set
	lacks    string // the error if no engine is available: what to install
}

// way holds the API and the command that are configured for a task; either may be empty.
type way struct {
	address, command string
	key              value.Credential
}

func (a *ai) set(t task, what string) string { return a.getenv("MEDIA_AI_" + t.variable + "_" + what) }

// choose returns the engine that does a task: api, command or builtin.
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

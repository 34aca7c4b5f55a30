// Package page is the run page: what a browser shows at the service's own
// address. It lists workflows and runs, starts, follows and cancels them, sets accounts, and
// draws the API's reference. It is one HTML text that loads nothing and asks the
// normal routes for everything, with the key that its user types.
//
// The page is kept in parts (page.html, page.css, js, and in vendor the library that reads
// Markdown) that need no build step; [New] puts them together.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"strings"
)

//go:embed page.html page.css js vendor/marked.js
var files embed.FS

// Page is the run page and what a browser may do with it.
type Page struct {
	HTML []byte
	// Policy is the value of the header Content-Security-Policy (W3C CSP level 3):
	// the page's own script and style, requests to its own origin and what it has made of the
	// answers, nothing else.
	Policy string
}

// New puts the page together.
func New() (Page, error) {
	parts := map[string][]byte{}
	for _, name := range []string{"page.html", "page.css"} {
		text, err := files.ReadFile(name)
		if err != nil {
			return Page{}, err
		}
		parts[name] = text
	}
	script, err := script()
	if err != nil {
		return Page{}, err
	}
	style := parts["page.css"]
	html := bytes.Replace(parts["page.html"], []byte("{{STYLE}}"), style, 1)
	html = bytes.Replace(html, []byte("{{SCRIPT}}"), script, 1)
	return Page{HTML: html, Policy: policy(style, script)}, nil
}

// parts are those of the script, in this order. The last one starts what the others
// define.
func parts() []string {
	return []string{
		"dom", "key", "json", "api", "follow", "view", "media", "markdown", "tree", "shown", "names", "scene", "viewport", "graph", "board",
		"startform", "runs", "triggers", "workflows", "paste", "fold", "steps", "values", "runparts", "run", "accounts", "login", "reference", "main",
	}
}

// script joins its parts to one function, behind the one library that they use.
func script() ([]byte, error) {
	joined, err := files.ReadFile("vendor/marked.js")
	if err != nil {
		return nil, err
	}
	joined = append(joined, "\n(() => {\n'use strict';\n"...)
	for _, name := range parts() {
		text, err := files.ReadFile("js/" + name + ".js")
		if err != nil {
			return nil, err
		}
		joined = append(append(joined, text...), '\n')
	}
	return append(joined, "})();"...), nil
}

func policy(style, script []byte) string {
	return strings.Join([]string{
		"default-src 'none'", "script-src " + digest(script), "style-src " + digest(style), "connect-src 'self'", "img-src data: blob:", "media-src blob:",
		"base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
	}, "; ")
}

// digest is a source expression that allows exactly this text.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

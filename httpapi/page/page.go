// Package page is the run page, which a browser shows at the address of the service. It lists
// workflows and runs, starts, follows and cancels runs, manages accounts, and shows the API
// reference. It is a single HTML text without external resources. It calls the normal routes with
// the key that the user enters.
//
// The sources are page.html, page.css, js, and the Markdown library in vendor. They need no build
// step; [New] combines them.
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

// Page is the run page and its security policy.
type Page struct {
	HTML []byte
	// Policy is the value of the Content-Security-Policy header (W3C CSP level 3). It allows only
	// the page's own script and style, requests to its own origin, and data and blob URLs for
	// media.
	Policy string
}

// New combines the sources of the page.
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

// parts returns the parts of the script, in order. The last one starts the page.
func parts() []string {
	return []string{
		"dom", "key", "json", "api", "follow", "view", "media", "markdown", "tree", "shown", "names", "scene", "viewport", "graph", "board",
		"startform", "runs", "triggers", "workflows", "paste", "fold", "steps", "values", "runparts", "run", "accounts", "login", "reference", "main",
	}
}

// script joins the parts into one function, after the library.
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

// digest returns a CSP source expression that allows exactly this text.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

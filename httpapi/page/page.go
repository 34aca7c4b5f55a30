// Package page is the run page: what a browser shows at the service's own
// address. It lists workflows and runs, starts, follows and cancels them, sets accounts, and
// draws the API's reference. It is one HTML text that loads nothing and asks the
// normal routes for everything, with the key that its user types.
//
// The page is kept in parts (page.html, page.css, js) that need no build step;
// [New] puts them together.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"strings"
)

//go:embed page.html page.css js
var files embed.FS

// Page is the run page and what a browser may do with it.
type Page struct {
	HTML []byte
	// Policy is the value of the header Content-Security-Policy (W3C CSP level 3):
	// the page's own script and style, requests to its own origin, nothing else.
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

// script joins the parts of the script to one function. The last one starts what
// the others define.
func script() ([]byte, error) {
	joined := []byte("(() => {\n'use strict';\n")
	for _, name := range []string{"dom", "view", "api", "graph", "workflows", "runs", "fold", "run", "accounts", "reference", "main"} {
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
		"default-src 'none'", "script-src " + digest(script), "style-src " + digest(style), "connect-src 'self'", "img-src data:",
		"base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
	}, "; ")
}

// digest is a source expression that allows exactly this text.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

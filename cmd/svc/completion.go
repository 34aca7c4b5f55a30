package main

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

//go:embed completion/svc.*
var completionFiles embed.FS

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

// Help implements kong.HelpProvider.
func (c *completionCmd) Help() string {
	return `The script completes commands, flags and their values, and the names of workflows, templates, node types and profiles: those of the place where the command would work.

Examples:

    echo 'source <(svc completion bash)' >> ~/.bashrc
    echo 'source <(svc completion zsh)' >> ~/.zshrc
    svc completion fish > ~/.config/fish/completions/svc.fish`
}

// Run prints the script.
func (c *completionCmd) Run(h *host) error {
	script, err := completionFiles.ReadFile("completion/svc." + c.Shell)
	if err != nil {
		return err
	}
	return h.print(string(script))
}

// completeCmd is what the scripts ask: a line for each word that fits, with what it means
// behind a tab. The line askForFiles says that files fit, too.
type completeCmd struct {
	Shell string   `arg:"" enum:"bash,zsh,fish" help:"The shell that asks."`
	Words []string `arg:"" optional:"" help:"The words up to the one that is completed."`
}

const askForFiles = ":files"

// Run prints what fits.
func (c *completeCmd) Run(ctx context.Context, h *host, of *kong.Context) error {
	words, cut := c.Words, 0
	if c.Shell == "bash" {
		words, cut = joined(words)
	}
	if len(words) == 0 {
		words = []string{""}
	}
	last := len(words) - 1
	at := walk(of.Model.Node, words[:last])
	var b strings.Builder
	for _, found := range at.fitting(ctx, h, words[last]) {
		switch {
		case found.word == askForFiles:
			b.WriteString(askForFiles + "\n")
		case strings.HasPrefix(found.word, words[last]) && oneLine(found.word) == found.word:
			fmt.Fprintf(&b, "%s\t%s\n", found.word[cut:], oneLine(found.means))
		}
	}
	return h.print(b.String())
}

// joined puts words together that bash has taken apart at : and =, and tells how much of
// the last one it has taken for others.
func joined(words []string) (whole []string, cut int) {
	open := false // the word before ended with such a sign
	for i, word := range words {
		sign := word != "" && strings.Trim(word, ":=") == ""
		if (sign || open) && len(whole) > 0 {
			whole[len(whole)-1] += word
		} else {
			whole = append(whole, word)
		}
		open = sign
		if i == len(words)-1 {
			cut = len(whole[len(whole)-1])
			if !sign {
				cut -= len(word)
			}
		}
	}
	return whole, cut
}

// place is where a command line has come to.
type place struct {
	node   *kong.Node
	given  map[string]string // values of flags, by name; "" for those without one
	flag   *kong.Flag        // that still waits for its value
	beyond int               // arguments of the command so far
	ended  bool              // flags, by --
}

// walk goes along a command line.
func walk(root *kong.Node, words []string) *place {
	p := &place{node: root, given: map[string]string{}}
	for _, word := range words {
		p.take(word)
	}
	return p
}

func (p *place) take(word string) {
	switch {
	case p.flag != nil:
		p.given[p.flag.Name], p.flag = word, nil
	case p.ended || !strings.HasPrefix(word, "-") || word == "-":
		p.argument(word)
	case word == "--":
		p.ended = true
	default:
		name, value, has := strings.Cut(word, "=")
		f := p.flagOf(name)
		if f == nil {
			return
		}
		p.given[f.Name] = value
		if !has && !f.IsBool() {
			p.flag = f
		}
	}
}

func (p *place) argument(word string) {
	for _, child := range p.node.Children {
		if p.beyond == 0 && (child.Name == word || slices.Contains(child.Aliases, word)) {
			p.node = child
			return
		}
	}
	if p.beyond == 0 && p.node.DefaultCmd != nil {
		p.node = p.node.DefaultCmd
	}
	p.beyond++
}

// flags are those that can stand here.
func (p *place) flags() (all []*kong.Flag) {
	node := p.node
	if node.DefaultCmd != nil {
		node = node.DefaultCmd
	}
	for _, group := range node.AllFlags(true) {
		all = append(all, group...)
	}
	return all
}

func (p *place) flagOf(name string) *kong.Flag {
	for _, f := range p.flags() {
		if "--"+f.Name == name || f.Short != 0 && "-"+string(f.Short) == name {
			return f
		}
	}
	return nil
}

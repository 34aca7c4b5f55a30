package main

import (
	"context"
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine/workflow"
)

//go:embed completion/svc.*
var completionFiles embed.FS

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

// Help implements kong.HelpProvider.
func (c *completionCmd) Help() string {
	return `The script completes commands, flags and their values, and the names of profiles, templates, node types and workflows. Node types and workflows are those of the server or data directory that the command would use.

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

// completeCmd is the hidden command that completion scripts call. It prints a line for each
// candidate: the word, a tab, its meaning. The line askForFiles means that files fit, too.
type completeCmd struct {
	Shell string   `arg:"" enum:"bash,zsh,fish" help:"The shell that calls."`
	Words []string `arg:"" optional:"" help:"The words up to the one that is completed."`
}

const askForFiles = ":files"

// Run prints the candidates.
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

// joined joins words that bash has split at : and =. The second result is the number of bytes
// of the last word that bash treats as earlier words.
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

// cursor is a position in a command line: the command, its flags and arguments so far.
type cursor struct {
	node   *kong.Node
	given  map[string]string // values of flags, by name; "" for those without one
	flag   *kong.Flag        // the last word, if its value is still missing
	beyond int               // number of arguments of the command so far
	ended  bool              // whether -- has ended the flags
}

// walk parses the words of a command line.
func walk(root *kong.Node, words []string) *cursor {
	p := &cursor{node: root, given: map[string]string{}}
	for _, word := range words {
		p.take(word)
	}
	return p
}

func (p *cursor) take(word string) {
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

func (p *cursor) argument(word string) {
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

// flags returns the flags that are allowed here.
func (p *cursor) flags() (all []*kong.Flag) {
	node := p.node
	if node.DefaultCmd != nil {
		node = node.DefaultCmd
	}
	for _, group := range node.AllFlags(true) {
		all = append(all, group...)
	}
	return all
}

func (p *cursor) flagOf(name string) *kong.Flag {
	for _, f := range p.flags() {
		if "--"+f.Name == name || f.Short != 0 && "-"+string(f.Short) == name {
			return f
		}
	}
	return nil
}

// candidate is a word that fits, and its meaning.
type candidate struct{ word, means string }

// fitting returns candidates. Some may not begin with begun; the caller filters them.
func (p *cursor) fitting(ctx context.Context, h *host, begun string) []candidate {
	if p.flag != nil {
		return p.values(ctx, h, p.flag.Value, p.flag.PlaceHolder)
	}
	if name, _, has := strings.Cut(begun, "="); has && strings.HasPrefix(begun, "--") {
		f := p.flagOf(name)
		if f == nil {
			return nil
		}
		found := p.values(ctx, h, f.Value, f.PlaceHolder)
		for i := range found {
			if found[i].word != askForFiles {
				found[i].word = name + "=" + found[i].word
			}
		}
		return found
	}
	if strings.HasPrefix(begun, "-") && !p.ended {
		return p.flagNames()
	}
	return append(p.commands(), p.arguments(ctx, h)...)
}

func (p *cursor) flagNames() (found []candidate) {
	for _, f := range p.flags() {
		if _, given := p.given[f.Name]; !given || f.IsCumulative() {
			found = append(found, candidate{"--" + f.Name, f.Help})
		}
	}
	return found
}

func (p *cursor) commands() (found []candidate) {
	if p.beyond > 0 {
		return nil
	}
	for _, child := range p.node.Children {
		if !child.Hidden {
			found = append(found, candidate{child.Name, child.Help})
		}
	}
	return found
}

func (p *cursor) arguments(ctx context.Context, h *host) []candidate {
	node := p.node
	if node.DefaultCmd != nil {
		node = node.DefaultCmd
	}
	if len(node.Positional) == 0 {
		return nil
	}
	arg := node.Positional[min(p.beyond, len(node.Positional)-1)]
	if p.beyond >= len(node.Positional) && !arg.IsCumulative() {
		return nil
	}
	return p.values(ctx, h, arg, "")
}

// values returns the values that a flag or an argument may have: the words of its enum, or
// the kind of names in its tag `complete`.
func (p *cursor) values(ctx context.Context, h *host, v *kong.Value, placeholder string) (found []candidate) {
	for _, word := range v.EnumSlice() {
		if word != "" {
			found = append(found, candidate{word: word})
		}
	}
	for kind := range strings.SplitSeq(v.Tag.Get("complete"), ",") {
		found = append(found, p.known(ctx, h, kind)...)
	}
	if placeholder == "FILE" || placeholder == "DIR" {
		found = append(found, candidate{word: askForFiles})
	}
	return found
}

// known returns the existing names of a kind. It returns none if they cannot be listed,
// because a shell cannot show an error here.
func (p *cursor) known(ctx context.Context, h *host, kind string) (found []candidate) {
	switch kind {
	case "file":
		return []candidate{{word: askForFiles}}
	case "workflow":
		return p.stored(ctx, h)
	case "profile":
		all, err := h.profiles()
		if err != nil {
			return nil
		}
		for _, name := range slices.Sorted(maps.Keys(all.Profiles)) {
			found = append(found, candidate{name, all.Profiles[name].Server})
		}
	case "name:", templatePrefix: // of templates
		all, err := app.Templates()
		if err != nil {
			return nil
		}
		for _, t := range all {
			found = append(found, candidate{strings.TrimPrefix(kind+t.Name, "name:"), firstSentence(t.Definition.Description)})
		}
	case "type":
		found = p.nodeTypes(ctx, h)
	}
	return found
}

func (p *cursor) nodeTypes(ctx context.Context, h *host) (found []candidate) {
	a, err := h.open(".")
	if err != nil {
		return nil
	}
	types, err := a.NodeTypes(ctx)
	if err != nil {
		return nil
	}
	for _, t := range types {
		found = append(found, candidate{t.Type, t.Label})
	}
	return found
}

// patience is how long completion waits for a server to list its workflows.
const patience = 2 * time.Second

// stored lists the workflows of the server or data directory that the command would use.
func (p *cursor) stored(ctx context.Context, h *host) (found []candidate) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, local := p.given["local"]
	given := func(flag, variable string) string {
		if value, ok := p.given[flag]; ok {
			return value
		}
		return h.getenv(variable)
	}
	where := targetFlags{Data: given("data", dataVariable), Local: local}
	where.Server, where.Profile, where.KeyFile = given("server", serverVariable), given("profile", profileVariable), given("key-file", keyFileVariable)
	stored, err := where.backend(h)
	if err != nil {
		return nil
	}
	metas, err := workflow.All(ctx, stored.Workflows)
	if err != nil {
		return nil
	}
	for i := range metas {
		found = append(found, candidate{metas[i].ID, metas[i].Name})
	}
	return found
}

package code

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/apart"
)

// Codes of this plugin, in addition to those of the engine.
const (
	codeScriptError = "script_error"
	codeScriptEnded = "script_ended"
)

// How much of a script and of its logs messages quote, in bytes.
const (
	shownLine = 160
	shownText = 1 << 10
)

// headLines is how many lines the engine puts before the script.
const headLines = 2

// frames finds where in the script something was thrown.
var frames = regexp.MustCompile(`<input>:(\d+):(\d+)`)

// wrong makes an error of a script's failure.
func (s *script) wrong(f *failure, logs []string) error {
	switch f.Kind {
	case kindMemory:
		return node.Errorf(node.CodeLimitExceeded, "the script took more than %d MB%s; raise memoryMB, or let it keep less", s.memory, s.at(f))
	case kindNotFinite:
		return node.Errorf(node.CodeNotFinite, "the script returned a number that is infinite or none")
	case kindPending:
		return node.Errorf(codeScriptError, "the script waits for something that never comes: there are no timers and no requests in it")
	}
	text := f.Message
	if f.Name != "" {
		text = f.Name + ": " + text
	}
	if f.Index != nil {
		text = fmt.Sprintf("item %d: %s", *f.Index, text)
	}
	text = value.Shorten(text, shownText) + s.at(f) + hint(f)
	if len(logs) > 0 {
		text += "; its last log: " + value.Shorten(logs[len(logs)-1], shownLine)
	}
	return node.Errorf(codeScriptError, "%s", text)
}

// at returns the position in the script, and the text of the line.
func (s *script) at(f *failure) string {
	place := frames.FindStringSubmatch(f.Stack)
	if place == nil {
		return ""
	}
	line, _ := strconv.Atoi(place[1])
	lines := strings.Split(s.code, "\n")
	if line -= headLines; line < 1 {
		return ""
	}
	if line > len(lines) {
		return ", at the end of the script"
	}
	return fmt.Sprintf(", in line %d, column %s: %s", line, place[2], value.Shorten(strings.TrimSpace(lines[line-1]), shownLine))
}

// hint says what to do about features of other products that scripts often use.
func hint(f *failure) string {
	name, isUndefined := strings.CutSuffix(f.Message, " is not defined")
	name = strings.Trim(name, "'")
	switch {
	case strings.Contains(f.Message, "module"):
		return "; scripts import nothing"
	case !isUndefined:
		return ""
	}
	switch name {
	case "require", "module", "exports":
		return "; scripts have no modules"
	case "fetch", "XMLHttpRequest":
		return "; scripts make no requests, which io.http_request does"
	case "setTimeout", "setInterval", "setImmediate":
		return "; scripts have no timers, control.delay waits"
	case "process", "Deno", "global", "window", "document":
		return "; scripts see nothing of where they run"
	case "$input", "$json", "$", "items", "$node", "DateTime", "$now":
		return "; is it a script of n8n? Set flavour = n8n"
	}
	return "; name it in inputs if it is to come in"
}

// ended makes an error for a script that was stopped, or whose process died.
func ended(ctx context.Context, err error, memory int) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if gone, ok := errors.AsType[apart.Gone](err); ok {
		return node.Permanent(node.Errorf(codeScriptEnded,
			"the process that ran the script died (%s); mostly it wants more memory or depth than there is (memoryMB = %d). Another one takes its place", node.Redact(ctx, gone.How), memory))
	}
	return node.Errorf(codeScriptEnded, "the process for scripts cannot be used: %w", err)
}

package media

import (
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"syscall"

	"github.com/svcflow/svc/engine/node"
)

// wording makes the message of a failure of ffmpeg: the node of the step, the first line with
// an error, and the last lines.
func wording(r *Recipe, err error) error {
	var f *failed
	if !errors.As(err, &f) {
		return err
	}
	if stopped := outOfBounds(f); stopped != nil {
		return stopped
	}
	text := cleaned(f.stderr)
	if strings.Contains(text, "No space left on device") || strings.Contains(text, "Disk quota exceeded") {
		return coded(node.CodeStorageFull, "there is no room on the disk for what ffmpeg makes")
	}
	line := telling(text)
	where := ""
	if m := regexp.MustCompile(`@(\S+?)(?: @ 0x[0-9a-f]+)?\]`).FindStringSubmatch(line); m != nil {
		if name := r.NodeOf(m[1]); name != "" {
			where = fmt.Sprintf(" at the node %q", name)
		}
	}
	code := codeFailed
	if strings.Contains(text, "Invalid data found when processing input") && where == "" {
		code = codeUnreadable
	}
	return coded(code, "ffmpeg failed%s: %s", where, joined(line, text))
}

// joined appends the last 2 KiB of output to the error line, unless they are the same.
func joined(line, text string) string {
	const most = 2 << 10
	if len(text) > most {
		text = strings.ToValidUTF8(text[len(text)-most:], "")
	}
	if text == "" || strings.TrimSpace(text) == line {
		return line
	}
	return line + "\n" + text
}

// outOfBounds makes the failure of a process that exceeded its limits.
func outOfBounds(f *failed) error {
	var exit *exec.ExitError
	if !errors.As(f.err, &exit) {
		return nil
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	switch {
	case strings.Contains(f.stderr, "Cannot allocate memory"):
		return limited("ffmpeg needed more memory than it may have; make the picture smaller")
	case !ok || !status.Signaled():
		return nil
	}
	switch fmt.Sprint(status.Signal()) {
	case "file size limit exceeded":
		return limited("what ffmpeg makes has more bytes than it may")
	case "CPU time limit exceeded", "cpu limit exceeded", "killed":
		return limited("ffmpeg used more processor time than it may; the work is too long for one node")
	}
	return nil
}

// cleaned removes details of the machine from messages: memory addresses, and the names of
// file descriptors.
func cleaned(text string) string {
	text = regexp.MustCompile(` @ 0x[0-9a-f]+`).ReplaceAllString(text, "")
	text = regexp.MustCompile(`(file:)?/dev/fd/(\d+)`).ReplaceAllString(text, "the file")
	text = regexp.MustCompile(`/[^\s'"]*`+scratchPrefix+`[A-Z2-7]+`).ReplaceAllString(text, "")
	return strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
}

// telling returns the first line that contains an error.
func telling(text string) string {
	first := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.Contains(line, "[error]"), strings.Contains(line, "[fatal]"):
			return strings.NewReplacer("[error] ", "", "[fatal] ", "").Replace(line)
		case first == "":
			first = line
		}
	}
	if first == "" {
		return "it did not say why"
	}
	return first
}

// The codes of failures of this package, in addition to those of the engine.
const (
	codeNotConfigured = "not_configured"
	codeUnreadable    = "unreadable"
	codeChanged       = "source_changed"
	codeFailed        = "converter_failed"
	codeNoAudio       = "no_audio"
	codeNoVideo       = "no_video"
)

// coded returns a failure that another attempt will not change.
func coded(code, format string, args ...any) error {
	e := node.Errorf(code, format, args...)
	e.Permanent = true
	return e
}

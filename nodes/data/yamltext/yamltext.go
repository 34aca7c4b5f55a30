// Package yamltext reads YAML as plain values.
//
// Scalars are those of YAML 1.2 (core schema), but for numbers with a leading zero, which are
// octal as nearly all readers take them. A document with the directive %YAML 1.1 follows
// YAML 1.1: yes, no, on and off are booleans, and 1:30 is a number in base 60. One with
// %YAML 1.2 follows YAML 1.2 exactly. Dates stay texts.
package yamltext

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/reading"
)

// Read returns the documents of a text. hold is called with the bytes that each value takes,
// before it is made.
func Read(text string, hold func(bytes int) error, notes *reading.Notes) ([]any, error) {
	documents := []any{}
	if v, is := fromJSON(text); is {
		return append(documents, v), nil
	}
	text, directives, err := prepare(text, notes)
	if err != nil {
		return nil, err
	}
	decoder := yaml.NewDecoder(strings.NewReader(text))
	u := unfolding{hold: hold, around: map[*yaml.Node]bool{}, notes: notes}
	retried := false
	for {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil && !retried && strings.Contains(err.Error(), "invalid Unicode character escape") {
			retried = true
			text = pairs(text, notes)
			decoder = yaml.NewDecoder(strings.NewReader(text))
			for range documents { // those before are read again, which cannot fail
				if err := decoder.Decode(&yaml.Node{}); err != nil {
					return nil, reading.Invalid("%s", reason(err))
				}
			}
			continue
		}
		if err != nil {
			return nil, reading.Invalid("%s", reason(err))
		}
		u.version = directives.versionOf(&document)
		v, err := u.value(&document, 0)
		if err != nil {
			return nil, err
		}
		documents = append(documents, v)
	}
}

// fromJSON reads text that is JSON, which is YAML, too. It is used for texts with surrogates
// only, which YAML readers refuse.
func fromJSON(text string) (any, bool) {
	start := strings.TrimLeft(text, " \t\r\n")
	if !strings.HasPrefix(start, "{") && !strings.HasPrefix(start, "[") || !strings.Contains(text, `\ud`) && !strings.Contains(text, `\uD`) {
		return nil, false
	}
	v, err := value.Decode([]byte(text))
	return v, err == nil
}

// reason returns an error of the library without its prefix.
func reason(err error) string {
	return strings.TrimPrefix(err.Error(), "yaml: ")
}

// surrogates matches an escaped character of a double-quoted text that is not in the basic
// plane, as JSON writes it, or half of one.
func surrogates() *regexp.Regexp {
	return regexp.MustCompile(`\\\\|\\u([dD][89abAB][0-9a-fA-F]{2})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?|\\u[dD][c-fC-F][0-9a-fA-F]{2}`)
}

// pairs writes pairs of surrogates in double-quoted texts as YAML does. Single ones are no
// characters.
func pairs(text string, notes *reading.Notes) string {
	lone := 0
	quoted := regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	text = quoted.ReplaceAllStringFunc(text, func(q string) string {
		return surrogates().ReplaceAllStringFunc(q, func(s string) string {
			if s == `\\` {
				return s
			}
			var high, low rune
			if n, _ := fmt.Sscanf(s, `\u%04x\u%04x`, &high, &low); n == 2 {
				return fmt.Sprintf(`\U%08x`, (high-0xd800)<<10+low-0xdc00+0x10000)
			}
			lone++
			return `\ufffd`
		})
	})
	if lone > 0 {
		notes.Repaired(0, "", "%d escapes such as \\ud800 are half a character and became U+FFFD", lone)
	}
	return text
}

// directives are the versions that a text declares, by line.
type directives struct {
	at   []directive
	next int
}

type directive struct {
	line    int
	version string // "" where a document ends
}

// versionOf returns the version of the next document.
func (d *directives) versionOf(document *yaml.Node) string {
	line := document.Line
	if len(document.Content) > 0 {
		line = max(line, document.Content[0].Line)
	}
	version := ""
	for ; d.next < len(d.at) && d.at[d.next].line < line; d.next++ {
		version = d.at[d.next].version
	}
	return version
}

// prepare removes byte order marks of texts that were appended to each other, and makes
// comments of directives, of which the library knows only few. Directives are before a
// document: at the start, or after "...".
func prepare(text string, notes *reading.Notes) (string, *directives, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.Contains(text, "\n\ufeff") {
		text = strings.ReplaceAll(text, "\n\ufeff", "\n")
	}
	d := &directives{}
	if !strings.HasPrefix(text, "%") && !strings.Contains(text, "\n%") {
		return text, d, nil
	}
	out := []byte(text)
	before, line := true, 0
	for at := 0; at < len(out); line++ {
		end := bytes.IndexByte(out[at:], '\n')
		if end < 0 {
			end = len(out) - at
		}
		content := strings.TrimRight(string(out[at:at+end]), " \t\r")
		switch {
		case before && strings.HasPrefix(content, "%YAML"):
			version, err := versionIn(content, line+1, notes)
			if err != nil {
				return "", nil, err
			}
			d.at = append(d.at, directive{line + 1, version})
			out[at] = '#'
		case before && strings.HasPrefix(content, "%TAG"):
		case before && strings.HasPrefix(content, "%"):
			notes.Repaired(line+1, "", "the directive %q is not known; it is ignored", shortened(content))
			out[at] = '#'
		case content == "..." || strings.HasPrefix(content, "... "):
			before = true
		case content == "" || strings.HasPrefix(strings.TrimLeft(content, " \t"), "#"):
		default:
			before = false
		}
		at += end + 1
	}
	return string(out), d, nil
}

// versionIn returns the version of the directive in a line.
func versionIn(line string, n int, notes *reading.Notes) (string, error) {
	fields := strings.Fields(strings.TrimPrefix(line, "%YAML"))
	version := ""
	if len(fields) > 0 {
		version = fields[0]
	}
	switch {
	case version == "1.1" || version == "1.2":
	case regexp.MustCompile(`^1\.\d+$`).MatchString(version):
		notes.Repaired(n, "", "the text is of YAML %s; it is read as YAML 1.2", shortened(version))
		version = "1.2"
	default:
		return "", reading.Invalid("line %d: the text is of YAML %q; 1.1 and 1.2 can be read", n, shortened(version))
	}
	return version, nil
}

// shortened cuts a text for a message.
func shortened(s string) string {
	if utf8.RuneCountInString(s) > 64 {
		return string([]rune(s)[:64]) + "…"
	}
	return s
}

// unfolding converts YAML nodes to values. It counts the values that it makes: nested
// aliases can turn a short text into a huge value.
type unfolding struct {
	hold    func(int) error
	notes   *reading.Notes
	version string // that the document declares, or ""
	made    int
	around  map[*yaml.Node]bool // anchors that are being resolved, to detect cycles
}

func (u *unfolding) value(n *yaml.Node, depth int) (any, error) {
	if u.made++; u.made > limit.Unfolded {
		return nil, reading.TooMuch("line %d: the references make more than %d values of the text", n.Line, limit.Unfolded)
	}
	if depth > value.MaxDepth {
		return nil, reading.TooMuch("line %d: lists and records nest deeper than %d", n.Line, value.MaxDepth)
	}
	if err := u.hold(len(n.Value) + value.ListWeight(1)); err != nil {
		return nil, err
	}
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) == 0 {
			return nil, nil
		}
		return u.value(n.Content[0], depth)
	case yaml.AliasNode:
		if u.around[n.Alias] {
			return nil, reading.Invalid("line %d: *%s refers to what it is in", n.Line, n.Value)
		}
		u.around[n.Alias] = true
		defer delete(u.around, n.Alias)
		return u.value(n.Alias, depth)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			v, err := u.value(item, depth+1)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	case yaml.MappingNode:
		return u.record(n, depth)
	}
	return u.scalar(n)
}

// record converts a mapping. Its own keys override the merged ones (<<).
func (u *unfolding) record(n *yaml.Node, depth int) (any, error) {
	made, merged := make(map[string]any, len(n.Content)/2), []any{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		v, err := u.value(n.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		if key.Kind == yaml.ScalarNode && key.Value == "<<" && key.Style == 0 && u.version != "1.2" {
			merged = append(merged, v)
			continue
		}
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			return nil, reading.Invalid("line %d: a key is a list or a record; only texts can be one", key.Line)
		}
		name := strings.ToValidUTF8(key.Value, "\uFFFD")
		if _, twice := made[name]; twice {
			return nil, reading.Invalid("line %d: the key %q stands twice", key.Line, shortened(key.Value))
		}
		made[name] = v
	}
	return made, merge(made, merged, n.Line)
}

// merge adds the fields of merged records that a record has not itself. Earlier ones win.
func merge(made map[string]any, merged []any, line int) error {
	for _, m := range merged {
		records, isList := m.([]any)
		if !isList {
			records = []any{m}
		}
		for _, r := range records {
			record, isRecord := r.(map[string]any)
			if !isRecord {
				return reading.Invalid("line %d: what << merges is no record", line)
			}
			for k, v := range record {
				if _, own := made[k]; !own {
					made[k] = v
				}
			}
		}
	}
	return nil
}

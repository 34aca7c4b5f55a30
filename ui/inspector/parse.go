package inspector

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/wording"
)

// syntax converts text to a value and back. read returns given false for a text that means no
// value; its error tells the user why a text cannot be stored. For every value v of the
// syntax, read(write(v)) is v.
type syntax struct {
	read  func(text string) (v any, given bool, err error)
	write func(v any) string
	// judge returns what is wrong with a value that is stored nevertheless, so that
	// unfinished input is not lost; nil accepts all values.
	judge func(v any) error
}

// syntaxOf returns the syntax of a port's values.
func syntaxOf(p *node.Port) syntax {
	switch kind := p.Type.Kind(); {
	case p.Widget == "json":
		return jsonSyntax(p)
	case kind == value.KindInt || kind == value.KindFloat:
		return numberSyntax(p.Type)
	case kind == value.KindCredential:
		return credentialSyntax(p)
	case kind == value.KindString || kind == value.KindEnum:
		return stringSyntax(p)
	case isLines(p):
		return linesSyntax(p)
	default:
		return jsonSyntax(p)
	}
}

func isLines(p *node.Port) bool {
	return p.Type.Kind() == value.KindList && p.Type.Elem().Kind() == value.KindString && p.Widget != "json"
}

// stringSyntax is the syntax of strings. The empty string is a value only if the default is
// another one.
func stringSyntax(p *node.Port) syntax {
	other := p.Default != nil && p.Default != ""
	return syntax{
		read:  func(text string) (any, bool, error) { return valid(text), text != "" || other, nil },
		write: plain,
	}
}

// valid replaces invalid UTF-8, which the clipboard may contain.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// plain writes a string as it is, and any other value as JSON.
func plain(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return string(value.Append(nil, v))
}

func numberSyntax(t value.Type) syntax {
	return syntax{
		read: func(text string) (any, bool, error) {
			if text = strings.TrimSpace(text); text == "" {
				return nil, false, nil
			}
			v, err := value.Decode([]byte(text))
			if err == nil {
				v, err = value.Conform(v, t)
			}
			switch {
			case err == nil:
				return v, true, nil
			case t.Kind() == value.KindInt:
				return nil, false, errors.New(lang.L("Type a whole number, such as 30."))
			}
			return nil, false, errors.New(lang.L("Type a number, such as 0.5."))
		},
		write: func(v any) string { return string(value.Append(nil, v)) },
	}
}

// credentialSyntax accepts references only: other input may be a secret in the wrong field,
// and must not get into the document.
func credentialSyntax(p *node.Port) syntax {
	return syntax{
		read: func(text string) (any, bool, error) {
			text = strings.TrimSpace(text)
			if text == "" {
				return nil, false, nil
			}
			if _, err := value.ParseCredential(text); err != nil {
				return nil, false, errors.New(lang.L("Type a network and an account, such as pronet:main. Never put a password or key here."))
			}
			if _, err := p.Accept(text); err != nil {
				return nil, false, errors.New(lang.L("Use an account of {{.Networks}}.", map[string]any{"Networks": strings.Join(p.Networks, ", ")}))
			}
			return text, true, nil
		},
		write: plain,
	}
}

func jsonSyntax(p *node.Port) syntax {
	return syntax{
		read: func(text string) (any, bool, error) {
			if strings.TrimSpace(text) == "" {
				return nil, false, nil
			}
			v, err := value.Decode([]byte(text))
			if err != nil {
				return nil, false, errors.New(explain(text, err))
			}
			return v, true, nil
		},
		write: func(v any) string { return string(value.Indent(nil, v)) },
		judge: func(v any) error {
			_, err := p.Accept(v)
			return err
		},
	}
}

// explain adds line and column to an error of JSON.
func explain(text string, err error) string {
	var wrong *value.SyntaxError
	if !errors.As(err, &wrong) {
		return wording.Of(err.Error())
	}
	before := text[:min(max(int(wrong.Offset), 0), len(text))]
	line := strings.Count(before, "\n") + 1
	column := len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
	said := lang.L("Line {{.Line}}, column {{.Column}}: {{.Reason}}", map[string]any{"Line": line, "Column": column, "Reason": wording.Of(wrong.Reason)})
	if !strings.ContainsAny(text, "\"{}[]:\n") {
		said += ". " + lang.L("Put a text in quotes.")
	}
	return said
}

// linesSyntax writes a list of texts, one per line. A list with an empty or multi-line text
// is written as JSON.
func linesSyntax(p *node.Port) syntax {
	asJSON := jsonSyntax(p)
	return syntax{
		read: func(text string) (any, bool, error) {
			if strings.HasPrefix(text, "[") {
				if v, err := value.Decode([]byte(text)); err == nil {
					return v, true, nil
				}
			}
			list := []any{}
			for line := range strings.SplitSeq(valid(text), "\n") {
				if line = strings.TrimSuffix(line, "\r"); line != "" {
					list = append(list, line)
				}
			}
			if len(list) == 0 {
				return nil, false, nil
			}
			return list, true, nil
		},
		write: func(v any) string {
			if list, ok := v.([]any); ok && len(list) > 0 && !slices.ContainsFunc(list, unfitLine) {
				lines := make([]string, len(list))
				for i, item := range list {
					lines[i] = item.(string)
				}
				if text := strings.Join(lines, "\n"); !strings.HasPrefix(text, "[") {
					return text
				}
			}
			return asJSON.write(v)
		},
		judge: asJSON.judge,
	}
}

// unfitLine reports whether an item cannot be written on one line.
func unfitLine(item any) bool {
	s, ok := item.(string)
	return !ok || s == "" || strings.ContainsAny(s, "\n\r")
}

// number parses a setting that is an int of at least low; given is false for an empty text.
func number(text string, low int) (n int, given bool, err error) {
	if text = strings.TrimSpace(text); text == "" {
		return 0, false, nil
	}
	if n, err = strconv.Atoi(text); err != nil || n < low {
		return 0, false, errors.New(lang.L("Type a whole number of at least {{.Low}}.", map[string]any{"Low": low}))
	}
	return n, true, nil
}

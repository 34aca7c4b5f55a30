package trigger

import (
	"fmt"
	"maps"
	"math"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// The limits of the fields of a form.
const (
	mostFields   = 100
	mostChoices  = 200
	longestName  = 64
	longestLabel = 500
	longestLine  = 1000    // characters in a single line
	longestText  = 100_000 // characters in a long text
)

// The types of fields.
const (
	typeText     = "text"
	typeLong     = "long"
	typeNumber   = "number"
	typeEmail    = "email"
	typeDate     = "date"
	typeChoice   = "choice"
	typeCheckbox = "checkbox"
	typeFile     = "file"
)

func fieldTypes() []string {
	return []string{typeText, typeLong, typeNumber, typeEmail, typeDate, typeChoice, typeCheckbox, typeFile}
}

// field is one field of a form.
type field struct {
	name, label, typ string
	required         bool
	choices          []string
	byDefault        any // nil for none
}

// fieldsOf parses the fields of a form, and reports all mistakes.
func fieldsOf(config any) ([]field, []node.Problem) {
	list, _ := config.([]any)
	if len(list) == 0 || len(list) > mostFields {
		return nil, []node.Problem{node.Invalid("fields", "a form has 1 to %d fields, such as {\"name\": \"mail\", \"type\": \"email\", \"required\": true}", mostFields)}
	}
	fields, names := make([]field, len(list)), map[string]bool{"submittedAt": true}
	var problems []node.Problem
	for i, item := range list {
		record, _ := item.(map[string]any)
		f := &fields[i]
		err := f.from(record)
		if err == nil && names[f.name] {
			err = fmt.Errorf("there is an output %q already", f.name)
		}
		if names[f.name] = true; err != nil {
			problems = append(problems, node.Invalid("fields", "field %d: %v", i+1, err))
		}
	}
	return fields, problems
}

// from parses a field.
func (f *field) from(record map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(record)) {
		ok := true
		switch v := record[name]; name {
		case "name":
			f.name, ok = v.(string)
		case "label":
			f.label, ok = v.(string)
		case "type":
			f.typ, ok = v.(string)
		case "required":
			f.required, ok = v.(bool)
		case "choices":
			f.choices = words(v)
			list, _ := v.([]any)
			ok = len(list) > 0 && len(list) == len(f.choices)
		case "default":
			f.byDefault = v
		default:
			return fmt.Errorf("%.50q is none of name, label, type, required, choices and default", name)
		}
		if !ok {
			return fmt.Errorf("%s cannot be of the type %s", name, value.KindOf(record[name]))
		}
	}
	if f.label == "" {
		f.label = f.name
	}
	if f.typ == "" {
		f.typ = typeText
	}
	return f.check()
}

// check returns the first mistake in a field.
func (f *field) check() error {
	switch {
	case !value.IsIdentifier(f.name) || len(f.name) > longestName:
		return fmt.Errorf("the name %.70q is no name of an output; it has up to %d letters, digits and _, and begins with no digit", f.name, longestName)
	case len(f.label) > longestLabel:
		return fmt.Errorf("its label has up to %d bytes", longestLabel)
	case !slices.Contains(fieldTypes(), f.typ):
		return fmt.Errorf("its type %.20q is none of %s", f.typ, strings.Join(fieldTypes(), ", "))
	case f.typ == typeChoice && (len(f.choices) == 0 || len(f.choices) > mostChoices || slices.Contains(f.choices, "")):
		return fmt.Errorf("choices are 1 to %d texts", mostChoices)
	case f.typ != typeChoice && f.choices != nil:
		return fmt.Errorf("choices belong to the type %s only", typeChoice)
	case f.byDefault == nil:
		return nil
	case f.typ == typeFile:
		return fmt.Errorf("a file has no default")
	case f.typ == typeCheckbox:
		if _, ok := f.byDefault.(bool); !ok {
			return fmt.Errorf("the default of a checkbox is true or false")
		}
		return nil
	}
	if v, fault := f.read(f.defaultText()); fault != "" || v == nil {
		return fmt.Errorf("the default does not fit: %s", fault)
	}
	return nil
}

// defaultText returns the default as the field shows it.
func (f *field) defaultText() string {
	switch v := f.byDefault.(type) {
	case nil, bool:
		return ""
	case string:
		return v
	default:
		return string(value.Append(nil, v))
	}
}

// port returns the output of the field.
func (f *field) port() node.Port {
	p := node.Port{Name: f.name, Type: value.String(), Description: f.label}
	switch f.typ {
	case typeNumber:
		if p.Type = value.Float(); !f.required {
			p.Type = p.Type.OrNull()
		}
	case typeCheckbox:
		p.Type = value.Bool()
	case typeFile: // may be null even if the field is required, since manual tests have no file
		p.Type = value.Any() // media, with field and filename
	}
	return p
}

// read converts a submitted text to the field's value, or returns why it is refused.
func (f *field) read(text string) (v any, fault string) {
	if f.typ == typeCheckbox {
		if text == "" && f.required {
			return nil, "Tick this box."
		}
		return text != "", ""
	}
	text, most := tidy(f.typ, text)
	switch {
	case utf8.RuneCountInString(text) > most:
		return nil, fmt.Sprintf("This may have %d characters.", most)
	case text == "" && f.required:
		return nil, f.missing()
	case text == "" && f.typ == typeNumber:
		return nil, ""
	case text == "":
		return "", ""
	}
	return f.parse(text)
}

// missing is the message for a required field that is empty.
func (f *field) missing() string {
	switch f.typ {
	case typeChoice:
		return "Choose one of these."
	case typeDate:
		return "Give a date."
	case typeNumber:
		return "Give a number."
	case typeFile:
		return "Choose a file."
	}
	return "Fill this in."
}

// parse converts a text that is not empty.
func (f *field) parse(text string) (v any, fault string) {
	switch f.typ {
	case typeNumber:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
			return nil, "This is no number; write it as 12 or 12.5."
		}
		return n, ""
	case typeEmail:
		address, err := mail.ParseAddress(text)
		if err != nil || address.Address != text {
			return nil, "This is no email address; write it as ada@example.com."
		}
	case typeDate:
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return nil, "This is no date; write it as 2026-01-31."
		}
	case typeChoice:
		if !slices.Contains(f.choices, text) {
			return nil, "Choose one of these."
		}
	}
	return text, ""
}

// tidy normalizes a text for a type of field, and returns the longest length of the type. A
// single line keeps no line breaks, since it may become the subject of a mail.
func tidy(typ, text string) (tidied string, most int) {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\r\n", "\n"), "\uFFFD")
	switch typ {
	case typeLong:
		return text, longestText
	case typeChoice:
		return text, longestText
	}
	return strings.TrimSpace(strings.NewReplacer("\n", " ", "\r", " ").Replace(text)), longestLine
}

package server

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/hashicorp/go-envparse"
)

// variables is the text of an environment file, line by line. Each line is empty,
// a comment or one NAME=value; nothing in a value is expanded.
type variables struct {
	lines  []string
	values map[string]string
	line   map[string]int // index in lines
}

// parseVariables reads text. Its errors name lines and repeat nothing of them.
func parseVariables(text string) (*variables, error) {
	text = strings.TrimPrefix(text, "\ufeff") // some editors begin files with it
	v := &variables{strings.Split(text, "\n"), map[string]string{}, map[string]int{}}
	for i, line := range v.lines {
		parsed, err := parseLine(line)
		if err != nil {
			return nil, fmt.Errorf("line %d is not NAME=value; put a value with spaces, quotes or # into single quotes, all in one line", i+1)
		}
		for name, value := range parsed { // at most one
			if first, twice := v.line[name]; twice {
				return nil, fmt.Errorf("lines %d and %d set the same variable; remove one", first+1, i+1)
			}
			v.values[name], v.line[name] = value, i
		}
	}
	return v, nil
}

// parseLine reads a line. As in a shell, # begins a comment only at the beginning of the line
// or behind white space. A line that a shell might read differently is an error.
func parseLine(line string) (map[string]string, error) {
	name, value, found := strings.Cut(line, "=")
	if !found || strings.HasPrefix(strings.TrimSpace(line), "#") {
		return envparse.Parse(strings.NewReader(line))
	}
	value = strings.TrimSpace(value)
	if value != "" && (value[0] == '\'' || value[0] == '"') {
		if !endsAfterQuote(value) {
			return nil, errors.New("text behind the closing quote")
		}
		return envparse.Parse(strings.NewReader(line))
	}
	if i := strings.IndexFunc(value, unicode.IsSpace); i >= 0 {
		if !strings.HasPrefix(strings.TrimSpace(value[i:]), "#") {
			return nil, errors.New("white space in a value without quotes")
		}
		value = value[:i] // a comment follows
	}
	if !strings.Contains(value, "#") {
		return envparse.Parse(strings.NewReader(name + "=" + value))
	}
	if strings.ContainsAny(value, `'"\$`) {
		return nil, errors.New("# beside characters that a shell takes differently")
	}
	return envparse.Parse(strings.NewReader(name + "='" + value + "'"))
}

// endsAfterQuote reports whether nothing but a comment follows the closing quote of value,
// which begins with a quote.
func endsAfterQuote(value string) bool {
	quote := value[0]
	for i := 1; i < len(value); i++ {
		switch {
		case value[i] == '\\' && quote == '"':
			i++
		case value[i] == quote:
			rest := value[i+1:]
			comment := strings.TrimSpace(rest)
			return comment == "" || comment[0] == '#' && rest != comment
		}
	}
	return true // not closed, which envparse reports
}

// lookup returns the value of a variable as [os.LookupEnv] does.
func (v *variables) lookup(name string) (string, bool) {
	value, ok := v.values[name]
	return value, ok
}

// environ lists the variables as [os.Environ] does.
func (v *variables) environ() []string {
	all := make([]string, 0, len(v.values))
	for name, value := range v.values {
		all = append(all, name+"="+value)
	}
	return all
}

// with returns the text in which the variable called name has value, and all
// other lines are as they were. A new variable becomes the last line.
func (v *variables) with(name, value string) string {
	// In single quotes every character except the single quote is literal. In JSON a single
	// quote can be escaped.
	line := name + "='" + strings.ReplaceAll(value, "'", `\u0027`) + "'"
	i, known := v.line[name]
	switch {
	case !known && v.lines[len(v.lines)-1] == "": // the text ends with a newline
		return strings.Join(v.lines, "\n") + line + "\n"
	case !known:
		return strings.Join(v.lines, "\n") + "\n" + line + "\n"
	case strings.HasPrefix(strings.TrimSpace(v.lines[i]), "export "): // the file is also sourced by a shell
		line = "export " + line
	}
	return v.replaced(i, line)
}

// without returns the text without the variable called name.
func (v *variables) without(name string) string {
	if _, known := v.line[name]; !known {
		return strings.Join(v.lines, "\n")
	}
	return v.replaced(v.line[name])
}

// replaced returns the text with these lines in the place of line i.
func (v *variables) replaced(i int, lines ...string) string {
	return strings.Join(slices.Concat(v.lines[:i], lines, v.lines[i+1:]), "\n")
}

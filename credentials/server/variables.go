package server

import (
	"fmt"
	"slices"
	"strings"

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
	v := &variables{strings.Split(text, "\n"), map[string]string{}, map[string]int{}}
	for i, line := range v.lines {
		parsed, err := envparse.Parse(strings.NewReader(line))
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

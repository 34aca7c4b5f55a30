// Package columns names the columns of tables.
package columns

import (
	"strconv"
	"strings"
)

// Renamed is a column whose name another column has before it.
type Renamed struct {
	Column       int // from 1
	Name, Unique string
}

// Names returns unique, non-empty names for the fields of a header, and the columns that
// had to be renamed. first is the number of the first column: a column without a name is
// called by its number, such as column3.
func Names(fields []string, first int) (names []string, renamed []Renamed) {
	names, taken := make([]string, len(fields)), make(map[string]bool, len(fields))
	next := map[string]int{}
	for i, field := range fields {
		name := strings.ToValidUTF8(strings.TrimSpace(field), "\uFFFD")
		blank := name == ""
		if blank {
			name = "column" + strconv.Itoa(first+i)
		}
		unique := name
		for taken[unique] {
			next[name] = max(next[name]+1, 2)
			unique = name + "_" + strconv.Itoa(next[name])
		}
		if unique != name && !blank {
			renamed = append(renamed, Renamed{first + i, name, unique})
		}
		names[i], taken[unique] = unique, true
	}
	return names, renamed
}

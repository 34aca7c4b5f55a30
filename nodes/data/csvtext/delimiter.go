package csvtext

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/svcflow/svc/nodes/reading"
)

// sampled is how many bytes and rows of a text are looked at to find its delimiter.
const (
	sampledBytes = 64 << 10
	sampledRows  = 100
)

// findDelimiter returns the delimiter that splits most rows of head into the same number of
// fields, at least two. If several do, a tab, a semicolon and a bar win over a comma, as
// commas stand in numbers and texts. With one row only, the most frequent one is taken.
func findDelimiter(head []byte, quote byte) byte {
	const candidates = "\t;|,"
	best, bestRows, bestFields := byte(','), 0, 0
	for i := range len(candidates) {
		widths := rowWidths(head, candidates[i], quote)
		fields, rows := mode(widths)
		if fields < 2 {
			continue
		}
		switch single := len(widths) == 1; {
		case rows > bestRows, single && (fields > bestFields || fields == bestFields && candidates[i] == ','):
			best, bestRows, bestFields = candidates[i], rows, fields
		}
	}
	return best
}

// rowWidths returns the number of fields of the first rows of head that are not empty. The
// last row is left out if head may have cut it.
func rowWidths(head []byte, delim, quote byte) (widths []int) {
	fields, quoted, begin := 1, false, true
	written := 0 // bytes of the row
	for i := 0; i < len(head) && len(widths) < sampledRows; i++ {
		b := head[i]
		switch {
		case quoted:
			quoted = b != quote
			continue
		case b == '\n' || b == '\r':
			if written > 0 {
				widths = append(widths, fields)
			}
			fields, begin, written = 1, true, 0
			continue
		case b == quote && (begin || i > 0 && head[i-1] == quote): // opens a field, or doubles a quote
			quoted, begin = true, false
		case b == delim:
			fields, begin = fields+1, true
		default:
			begin = false
		}
		written++
	}
	if written > 0 && len(widths) < sampledRows && (len(head) < sampledBytes || len(widths) == 0) {
		widths = append(widths, fields)
	}
	return widths
}

// mode returns the most frequent number of fields that is more than one, and its count. Of
// several it returns the first.
func mode(widths []int) (fields, rows int) {
	counts := map[int]int{}
	for _, w := range widths {
		counts[w]++
	}
	for _, w := range widths {
		if w > 1 && counts[w] > rows {
			fields, rows = w, counts[w]
		}
	}
	return fields, rows
}

// declaredDelimiter returns the delimiter that the line names with which Excel begins a
// file, such as "sep=;", and whether there is one.
func declaredDelimiter(head []byte) (delim byte, found bool) {
	end := bytes.IndexAny(head, "\r\n")
	if end < 0 {
		end = len(head)
	}
	line := strings.Trim(string(head[:min(end, 16)]), `"`)
	if len(line) < 4 || !strings.EqualFold(line[:4], "sep=") {
		return 0, false
	}
	switch named := line[4:]; {
	case len(named) == 1 && named[0] < utf8.RuneSelf:
		return named[0], true
	case named == `\t`:
		return '\t', true
	}
	return 0, false
}

// Char returns the character that the input port names.
func Char(port, text string) (byte, error) {
	switch strings.ToLower(text) {
	case "tab", `\t`:
		return '\t', nil
	}
	if len(text) != 1 || text[0] >= utf8.RuneSelf {
		return 0, reading.Invalid("%s is %q; it has to be one ASCII character, or tab", port, reading.Cut(text))
	}
	return text[0], nil
}

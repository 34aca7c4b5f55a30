package documents

import (
	"slices"
	"strings"
	"unicode"
)

// FileName suggests how to call the file of a workflow: its id without what file
// systems or people stumble over, and ".json". It has no folder in it, whatever the
// id.
func FileName(id string) string {
	const longest, mostBytes = 80, 200 // file systems have 255 bytes
	var b strings.Builder
	letters := 0
	for _, r := range id {
		if letters == longest || b.Len() > mostBytes {
			break
		}
		switch {
		case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r), r == '_', r == '.' && letters > 0:
			b.WriteRune(r)
		case letters > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		default:
			continue
		}
		letters++
	}
	name := strings.TrimRight(b.String(), "-.")
	switch {
	case name == "":
		name = "workflow"
	case reserved(name):
		name = "workflow-" + name
	}
	return strings.TrimSuffix(name, ".json") + ".json"
}

// reserved reports whether Windows takes a name for a device, whatever its ending.
func reserved(name string) bool {
	name, _, _ = strings.Cut(strings.ToLower(name), ".")
	if slices.Contains([]string{"con", "prn", "aux", "nul"}, name) {
		return true
	}
	return len(name) == 4 && (strings.HasPrefix(name, "com") || strings.HasPrefix(name, "lpt")) && unicode.IsDigit(rune(name[3]))
}

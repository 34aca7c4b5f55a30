package documents

import (
	"slices"
	"strings"
	"unicode"
)

// FileName suggests a name for the file of a workflow: its id without characters that cause
// trouble in file systems, and ".json". It never contains a folder.
func FileName(id string) string {
	const longest, mostBytes = 80, 200 // file systems allow 255 bytes
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

// reserved reports whether a name is that of a device on Windows, whatever its extension.
func reserved(name string) bool {
	name, _, _ = strings.Cut(strings.ToLower(name), ".")
	if slices.Contains([]string{"con", "prn", "aux", "nul"}, name) {
		return true
	}
	return len(name) == 4 && (strings.HasPrefix(name, "com") || strings.HasPrefix(name, "lpt")) && unicode.IsDigit(rune(name[3]))
}

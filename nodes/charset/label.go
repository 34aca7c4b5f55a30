package charset

import (
	"regexp"
	"strings"
)

// spellings are the names of encodings without hyphens and underscores, whose usual form
// has them.
var spellings = map[string]string{ //nolint:gochecknoglobals // a constant table
	"eucjp": "euc-jp", "euckr": "euc-kr", "iso2022jp": "iso-2022-jp", "shiftjis": "shift_jis", "xshiftjis": "shift_jis", "koi8r": "koi8-r", "koi8u": "koi8-u",
	"big5": "big5", "gb2312": "gb2312", "gb18030": "gb18030", "xgbk": "gbk", "ksc56011987": "euc-kr", "tis620": "tis-620", "usascii": "us-ascii", "macroman": "macintosh",
}

var numbered = regexp.MustCompile(`^(utf|win|windows|cp|ms|latin|l|iso8859|8859)(\d+)$`)

// usual returns the usual form of a name that is written another way: win-1251, latin_1,
// iso8859_15 or utf_8.
func usual(label string) string {
	plain := strings.NewReplacer("-", "", "_", "", " ", "").Replace(label)
	if name, ok := spellings[plain]; ok {
		return name
	}
	found := numbered.FindStringSubmatch(plain)
	if found == nil {
		return label
	}
	switch kind, number := found[1], found[2]; kind {
	case "utf":
		return "utf-" + number
	case "win", "windows", "cp", "ms":
		return "windows-" + number
	case "latin", "l":
		return "l" + number
	default:
		return "iso-8859-" + number
	}
}

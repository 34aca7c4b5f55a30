package microblog

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// span is a range of bytes in a text.
type span struct{ from, to int }

// The parts of a URL as the network's editor recognizes them. With a scheme the host may be
// in any script, without one only in Latin letters. A path may contain balanced
// parentheses. Neither path nor query ends with punctuation that usually ends a sentence.
const (
	label     = `[a-z0-9_\-]|[^\x00-\x7F\pZ\pP\pC]`
	latin     = `\p{Latin}\x{300}-\x{36F}`
	pathChar  = `a-z0-9\x{400}-\x{4FF}` + latin + `!*';:=+,.$/%#\[\]\-_~@|&\x{2013}`
	pathEnd   = `a-z0-9\x{400}-\x{4FF}` + latin + `=_#/+\-`
	pair      = `\([` + pathChar + `]*(?:\([` + pathChar + `]+\)[` + pathChar + `]*)?\)`
	path      = `/(?:(?:[` + pathChar + `]|` + pair + `)*(?:[` + pathEnd + `]|` + pair + `))?`
	query     = `\?[a-z0-9!?*'@();:&=+$/%#\[\]\-_.,~|]*[a-z0-9\-_&=#/]`
	anyHost   = `(?:` + label + `)+(?:\.(?:` + label + `)+)+`
	latinHost = `[a-z0-9\-` + latin + `]+(?:\.[a-z0-9\-` + latin + `]+)+`
)

var (
	urlPattern  = regexp.MustCompile(`(?i)(https?://)(` + anyHost + `)|(` + latinHost + `)`)
	tailPattern = regexp.MustCompile(`(?i)^(?::[0-9]+)?(?:` + path + `)?(?:` + query + `)?`)
	barePattern = regexp.MustCompile(`(?i)^(?:` + path + `(?:` + query + `)?)?`)
	ownPattern  = regexp.MustCompile(`(?i)^(?:/[a-z0-9]+(?:` + query + `)?)?`)
	tldPattern  = regexp.MustCompile(`(?i)^[a-z][a-z0-9\-]*`)
)

// findURLs returns the URLs in text, in order.
func findURLs(text string) []span {
	var found []span
	for at := 0; at < len(text); {
		match := urlPattern.FindStringSubmatchIndex(text[at:])
		if match == nil {
			break
		}
		u, ok := urlAt(text, at, match)
		if ok {
			found = append(found, u)
		}
		at = max(u.to, at+1)
	}
	return found
}

// urlAt checks a match of urlPattern in text[at:]. If it is not a URL, the search continues
// at the end of the returned span.
func urlAt(text string, at int, match []int) (span, bool) {
	scheme := match[2] >= 0
	hostFrom, hostTo := at+match[len(match)-2], at+match[len(match)-1]
	if scheme {
		hostFrom, hostTo = at+match[4], at+match[5]
	}
	from := at + match[0]
	skip := span{from, hostTo}
	if !mayBegin(text[:from], scheme) {
		return skip, false
	}
	host := hostIn(text[hostFrom:hostTo])
	if host == "" {
		return skip, false
	}
	end := hostFrom + len(host)
	if strings.IndexAny(text[end:], "@+-") == 0 {
		return skip, false // an email address
	}
	if end == hostTo {
		end += len(tailAt(text[end:], host, scheme))
	}
	return span{from, end}, true
}

// tailAt returns the path and query of the URL whose host comes before text. Short URLs of
// the network itself (t.co) have a path of letters and digits only.
func tailAt(text, host string, scheme bool) string {
	pattern := barePattern
	switch {
	case strings.EqualFold(host, "t.co"):
		pattern = ownPattern
	case scheme:
		pattern = tailPattern
	}
	return pattern.FindString(text)
}

// mayBegin reports whether a URL may follow before: it may not begin inside a word, a user
// name or a tag.
func mayBegin(before string, scheme bool) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	switch {
	case before == "":
		return true
	case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', strings.ContainsRune("@＠$#＃", r):
		return false
	}
	return scheme || !strings.ContainsRune("-_./", r)
}

// The limits of a host name (RFC 1035): the number of labels, and the bytes of each.
const (
	maxLabels = 127
	maxLabel  = 63
)

// hostIn returns the longest host name with a known top-level domain at the beginning of
// text, or "".
func hostIn(text string) string {
	labels := strings.Split(text, ".")
	if len(labels) > maxLabels {
		return ""
	}
	for i := len(labels) - 1; i > 0; i-- {
		tld := labels[i]
		if ascii := tldPattern.FindString(tld); ascii != "" {
			tld = ascii
		}
		if !isTLD(tld) || !isDomain(labels[:i]) {
			continue
		}
		return strings.Join(append(labels[:i:i], tld), ".")
	}
	return ""
}

func isTLD(text string) bool {
	encoded, err := idna.ToASCII(strings.ToLower(text))
	if err != nil {
		return false
	}
	suffix, known := publicsuffix.PublicSuffix(encoded)
	return known && suffix == encoded
}

// isDomain reports whether labels are valid as the labels of a host name before its
// top-level domain.
func isDomain(labels []string) bool {
	for i, l := range labels {
		encoded, err := idna.ToASCII(l)
		edge := "-_"
		if err != nil || len(encoded) > maxLabel || l == "" || strings.Trim(l, edge) != l {
			return false
		}
		if i == len(labels)-1 && strings.Contains(l, "_") {
			return false
		}
	}
	return true
}

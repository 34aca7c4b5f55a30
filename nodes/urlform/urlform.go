// Package urlform reads forms and queries as the URL standard of the WHATWG does
// (application/x-www-form-urlencoded), which refuses nothing: a semicolon is an ordinary
// character, and a percent sign without two hexadecimal digits behind it stands for itself.
// [net/url.ParseQuery] reports both as errors, but senders write them.
package urlform

import "strings"

// Parse returns the values by name, each in the order of the text. Names and values are the
// bytes that were sent, which may be in any encoding.
func Parse(text string) map[string][]string {
	values := map[string][]string{}
	for pair := range strings.SplitSeq(text, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name = unescape(name)
		values[name] = append(values[name], unescape(value))
	}
	return values
}

// unescape decodes plus signs and percent escapes.
func unescape(text string) string {
	if !strings.ContainsAny(text, "+%") {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '+':
			c = ' '
		case c == '%' && i+2 < len(text):
			high, ok := digit(text[i+1])
			low, both := digit(text[i+2])
			if ok && both {
				c, i = high<<4|low, i+2
			}
		}
		out = append(out, c)
	}
	return string(out)
}

// digit returns the value of a hexadecimal digit.
func digit(c byte) (value byte, ok bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

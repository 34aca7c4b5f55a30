//go:build go1.27

package value

import "encoding/json/jsontext"

// shortestFloat appends f as RFC 8785 prints it. In go-json-experiment, which with this Go
// is a list of aliases, AppendFloat is missing.
func shortestFloat(dst []byte, f float64) []byte { return jsontext.AppendFloat(dst, f, 64) }

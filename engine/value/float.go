//go:build go1.27

package value

import "encoding/json/jsontext"

// shortestFloat appends f as RFC 8785 prints it. With this Go version, go-json-experiment
// only has aliases, and AppendFloat is not among them.
func shortestFloat(dst []byte, f float64) []byte { return jsontext.AppendFloat(dst, f, 64) }

//go:build !go1.27

package value

import "github.com/go-json-experiment/json/jsontext"

// shortestFloat appends f as RFC 8785 prints it.
func shortestFloat(dst []byte, f float64) []byte { return jsontext.AppendFloat(dst, f, 64) }

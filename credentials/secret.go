package credentials

import (
	"fmt"
	"log/slog"
	"unique"
)

// redacted is what every printed form of a secret reads.
const redacted = "[redacted]"

// Secret holds a text that must not be shown. Printing, logging or marshalling it gives
// "[redacted]"; only [Secret.Reveal] returns the text. Secrets of the same text are equal
// with ==. The zero value is the empty secret.
type Secret struct {
	// A handle, and not the text: printers that look into a struct by reflection
	// call no methods on its unexported fields, and would print a text there.
	text unique.Handle[string]
}

// NewSecret wraps text.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{unique.Make(text)}
}

// Reveal returns the text itself. Call it where the secret is used and keep the
// result in no struct.
func (s Secret) Reveal() string {
	if s.IsZero() {
		return ""
	}
	return s.text.Value()
}

// IsZero reports whether the secret is empty.
func (s Secret) IsZero() bool { return s == Secret{} }

// String implements fmt.Stringer.
func (s Secret) String() string { return redacted }

// Format implements fmt.Formatter, so that no verb shows the text.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText implements encoding.TextMarshaler, and with it JSON.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

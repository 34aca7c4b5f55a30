package media

import "github.com/svcflow/svc/engine/node"

// The codes of failures besides those of the engine.
const (
	codeNotConfigured = "not_configured"
	codeUnreadable    = "unreadable"
	codeChanged       = "source_changed"
	codeFailed        = "converter_failed"
	codeNoAudio       = "no_audio"
	codeNoVideo       = "no_video"
)

// coded returns a failure that the same inputs meet again.
func coded(code, format string, args ...any) error {
	e := node.Errorf(code, format, args...)
	e.Permanent = true
	return e
}

package accounts

import (
	"strings"
	"time"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/ui/kit"
)

// look is the appearance of a state of an account.
type look struct {
	text   string // a key of translations, like advice
	ink    kit.ColorFunc
	advice string // what to do about it; "" for nothing
}

// lookOf returns the appearance of a state; see [credentials.State].
func lookOf(state credentials.State) look {
	switch state {
	case credentials.StateValid:
		return look{text: "Connected", ink: kit.OK}
	case credentials.StateExpiring:
		return look{text: "Expires soon", ink: kit.Running}
	case credentials.StateExpired:
		return look{"Expired", kit.Error, "Press Test to renew it. If that fails, press Reconnect."}
	case credentials.StateReauthorize:
		return look{"Log in again", kit.Error, "The network does not accept this account any more. Press Reconnect and log in again."}
	case credentials.StateUnavailable:
		return look{"Unavailable", kit.Error, "The storage of this account cannot be read at the moment."}
	case credentials.StateMalformed:
		return look{"Damaged", kit.Error, "Its stored login cannot be used. Press Reconnect to replace it."}
	}
	return look{text: string(state), ink: kit.Dim}
}

// described describes where an account is stored and until when it is valid.
func described(a credentials.Status) string {
	parts := []string{keptIn(a.Source)}
	if a.Kind != "" {
		parts = append(parts, kindName(a.Kind))
	}
	if len(a.Hosts) > 0 {
		parts = append(parts, strings.Join(a.Hosts, " "))
	}
	if !a.ExpiresAt.IsZero() {
		parts = append(parts, until(a.ExpiresAt))
	}
	return strings.Join(parts, " · ")
}

// keptIn describes where an account is stored. Unknown sources go by their names.
func keptIn(source string) string {
	switch source {
	case "keyring":
		return lang.L("In the keyring")
	case "memory":
		return lang.L("In memory, until Svc is closed")
	case "environment":
		return lang.L("In the environment of the server")
	case "vault":
		return lang.L("In the vault of the server")
	}
	return lang.L("In {{.Source}}", map[string]any{"Source": source})
}

// until describes how long something is valid.
func until(t time.Time) string {
	count := func(unit time.Duration) map[string]any { return map[string]any{"N": int(time.Until(t) / unit)} }
	switch left := time.Until(t); {
	case left <= 0:
		return lang.L("expired")
	case left < time.Hour:
		return lang.L("{{.N}} min left", count(time.Minute))
	case left < 2*24*time.Hour:
		return lang.L("{{.N}} h left", count(time.Hour))
	}
	return lang.L("until {{.Date}}", map[string]any{"Date": t.Local().Format(time.DateOnly)})
}

// joined joins scopes.
func joined(scopes []string) string { return strings.Join(scopes, ", ") }

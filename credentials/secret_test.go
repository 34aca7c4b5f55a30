package credentials_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
)

const canary = "canary-7e02c6"

// requireHidden fails if s shows the canary in any form that a printer makes.
func requireHidden(t *testing.T, s string) {
	t.Helper()
	lower := strings.ToLower(s)
	require.NotContains(t, lower, "canary")
	require.NotContains(t, lower, hex.EncodeToString([]byte("canary")))
	require.NotContains(t, s, base64.StdEncoding.EncodeToString([]byte("canary")))
	require.NotContains(t, s, "99 97 110 97 114 121", "bytes in decimal")
}

type holder struct {
	Public  credentials.Secret
	private credentials.Secret
	pointer *credentials.Secret
	list    []credentials.Secret
	byName  map[string]credentials.Secret
	deep    struct{ c credentials.Credential }
}

func holders() []any {
	s := credentials.NewSecret(canary)
	c := credentials.Credential{Access: s, Refresh: s}
	h := holder{s, s, &s, []credentials.Secret{s}, map[string]credentials.Secret{"k": s}, struct{ c credentials.Credential }{c}}
	return []any{
		s, &s, c, &c, h, &h,
		[]any{s, h},
		map[string]any{"k": h, "s": &s},
		[1]holder{h},
		fmt.Errorf("wrapped %v: %w", s, errors.New("x")),
		struct{ any }{h},
	}
}

func TestSecretIsHiddenFromFmt(t *testing.T) {
	for _, v := range holders() {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "% x", "%d", "%c", "%U", "%08b", "%10.3s", "%t", "%p", "%T", "%w"} {
			requireHidden(t, fmt.Sprintf(verb, v))
		}
		requireHidden(t, fmt.Sprint(v))
		requireHidden(t, fmt.Sprintln(v))
		requireHidden(t, fmt.Errorf("failed: %v", v).Error())
	}
	require.Equal(t, "[redacted]", fmt.Sprintf("%s", credentials.NewSecret(canary)))
	require.Equal(t, "[redacted]", fmt.Sprint(credentials.Secret{}), "not even that it is empty")
}

func TestSecretIsHiddenFromLogs(t *testing.T) {
	var b bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&b, nil), slog.NewJSONHandler(&b, nil)} {
		log := slog.New(handler)
		for _, v := range holders() {
			log.Info("used", "value", v, slog.Group("g", "value", v))
			log.With("value", v).Info("used")
		}
	}
	require.Contains(t, b.String(), "[redacted]")
	requireHidden(t, b.String())
}

func TestSecretIsHiddenFromJSON(t *testing.T) {
	for _, v := range holders() {
		b, err := json.Marshal(v)
		require.NoError(t, err)
		requireHidden(t, string(b))
	}
	b, err := json.Marshal(map[credentials.Secret]int{credentials.NewSecret(canary): 1})
	require.NoError(t, err)
	requireHidden(t, string(b))
}

func TestSecretGoesOutByRevealOnly(t *testing.T) {
	s := credentials.NewSecret(canary)
	require.Equal(t, canary, s.Reveal())
	require.False(t, s.IsZero())
	require.Equal(t, s, credentials.NewSecret(strings.Clone(canary)))
	require.True(t, s == credentials.NewSecret(strings.Clone(canary)))
	require.True(t, s != credentials.NewSecret("another"))

	require.True(t, credentials.NewSecret("").IsZero())
	require.Empty(t, credentials.Secret{}.Reveal())
}

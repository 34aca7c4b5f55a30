package locale_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/svc-desktop/internal/locale"
)

func TestName(t *testing.T) {
	tests := []struct {
		name string
		env  map[string]string
		want string
	}{
		{"nothing", map[string]string{}, ""},
		{"plain", map[string]string{"LANG": "C"}, ""},
		{"of containers", map[string]string{"LANG": "C.UTF-8"}, "en"},
		{"of everything", map[string]string{"LC_ALL": "C.utf8", "LANG": "de_DE.UTF-8"}, "en"},
		{"a locale that wins", map[string]string{"LC_ALL": "de_DE.UTF-8", "LANG": "C.UTF-8"}, ""},
		{"an empty variable", map[string]string{"LC_ALL": "", "LANG": "C.UTF-8"}, "en"},
		{"a language", map[string]string{"LANGUAGE": "de:en", "LANG": "C.UTF-8"}, "de:en"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.NoError(t, locale.Name(
				func(name string) (string, bool) { v, ok := test.env[name]; return v, ok },
				func(name, value string) error { test.env[name] = value; return nil },
			))
			require.Equal(t, test.want, test.env["LANGUAGE"])
		})
	}
}

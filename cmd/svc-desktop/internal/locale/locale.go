// Package locale names the language of users whose locale is C.UTF-8, as it is in
// containers and services. The toolkit takes that locale for a mistake and warns of it
// at every start. Programs import the package for that alone.
package locale

import (
	"os"
	"strings"
)

// The toolkit reads the locale before main begins. Go initializes this package first:
// it needs nothing but the standard library, and so is ready before the toolkit is.
var _ = Name(os.LookupEnv, os.Setenv)

// Name sets LANGUAGE, with set, if the locale that env tells is C.UTF-8 and names none.
// The locale itself stays: without UTF-8, no key types more than ASCII. Its error is
// set's.
func Name(env func(name string) (string, bool), set func(name, value string) error) error {
	if languages, _ := env("LANGUAGE"); languages != "" {
		return nil
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} { // as gettext looks
		if locale, _ := env(name); strings.HasPrefix(locale, "C.") {
			return set("LANGUAGE", "en")
		} else if locale != "" {
			break
		}
	}
	return nil
}

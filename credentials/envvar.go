package credentials

import (
	"fmt"
	"strings"
)

// EnvVar returns the environment variable that may hold the secret of ref:
// PRONET_MAIN for pronet:main (spec section 5).
func EnvVar(ref Ref) string {
	return strings.NewReplacer(":", "_", "-", "_").Replace(strings.ToUpper(string(ref)))
}

// CheckEnvVars reports the first two of refs that share an environment variable,
// as pronet:team-a and pronet:team_a do. References of different networks never
// share one, since a network's name has no dash and no underscore.
func CheckEnvVars(refs []Ref) error {
	holders := make(map[string]Ref, len(refs))
	for _, ref := range refs {
		name := EnvVar(ref)
		if other, taken := holders[name]; taken && other != ref {
			return fmt.Errorf("%s and %s share the environment variable %s; rename one of the accounts", other, ref, name)
		}
		holders[name] = ref
	}
	return nil
}

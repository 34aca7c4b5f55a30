package network

import (
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/value"
)

// The settings that every network has; see the manual. [Network.Variable] makes names
// of variables of them.
const (
	SettingClientID      = "CLIENT_ID"
	SettingClientSecret  = "CLIENT_SECRET"
	SettingAuthStyle     = "AUTH_STYLE"
	SettingAuthURL       = "AUTH_URL"
	SettingTokenURL      = "TOKEN_URL"
	SettingRevokeURL     = "REVOKE_URL"
	SettingAPIURL        = "API_URL"
	SettingIssuer        = "ISSUER"
	SettingScopes        = "SCOPES"
	SettingPKCE          = "PKCE"
	SettingRedirectPorts = "REDIRECT_PORTS"
)

// fileSuffix is the suffix of variables with the name of a file that contains the value.
const fileSuffix = "_FILE"

// prefix is before the names of variables with credentials, except those of [plain]
// networks. It prevents that HTTP_PROXY is read as an account called proxy.
const prefix = "SVC_CRED_"

// plain reports whether the variables of a network's accounts have no prefix. This is so
// only for the oldest networks.
func plain(network string) bool {
	switch network {
	case "pronet", "microblog", "email", "webhook":
		return true
	}
	return false
}

// Variable returns the environment variable that may hold the secret of ref:
// PRONET_MAIN for pronet:main, SVC_CRED_GITHUB_MAIN for github:main.
func Variable(ref value.Credential) string {
	name := strings.NewReplacer(":", "_", "-", "_").Replace(strings.ToUpper(string(ref)))
	if plain(ref.Network()) {
		return name
	}
	return prefix + name
}

// FileVariable returns the environment variable that may name a file with the secret
// of ref.
func FileVariable(ref value.Credential) string { return Variable(ref) + fileSuffix }

// AccountVariable names the variable of a setting of one account.
func AccountVariable(ref value.Credential, setting string) string {
	return Variable(ref) + "_" + setting
}

// Variable names the environment variable of a setting, e.g. PRONET_CLIENT_ID.
func (n Network) Variable(setting string) string { return strings.ToUpper(n.Name) + "_" + setting }

// Ref returns the reference whose credential is in the variable called name, or in the file
// that the variable names. ok is false if it is no credential of a network in the table. If
// several references share the variable, the one with underscores instead of dashes is
// returned.
func (t Table) Ref(name string) (ref value.Credential, ok bool) {
	name = strings.TrimSuffix(name, fileSuffix)
	rest, prefixed := strings.CutPrefix(name, prefix)
	network, account, _ := strings.Cut(strings.ToLower(rest), "_")
	if prefixed == plain(network) {
		return "", false
	}
	ref, err := value.ParseCredential(network + ":" + account)
	return ref, err == nil && name == Variable(ref) && t.Allows(ref)
}

// Secret reports whether the variable called name holds a secret of a network: the
// credential of an account, the name of a file with one, or the client secret. Workflows
// must not read these.
func (t Table) Secret(name string) bool {
	if _, ok := t.Ref(name); ok {
		return true
	}
	return slices.ContainsFunc(t.networks, func(n Network) bool {
		return strings.TrimSuffix(name, fileSuffix) == n.Variable(SettingClientSecret)
	})
}

// Shared returns the first other reference in refs with the same variable as ref, or "".
// For example, pronet:team-a and pronet:team_a share one. References of different networks
// never do, since a network's name has no dash and no underscore.
func Shared(ref value.Credential, refs []value.Credential) value.Credential {
	i := slices.IndexFunc(refs, func(other value.Credential) bool { return other != ref && Variable(other) == Variable(ref) })
	if i < 0 {
		return ""
	}
	return refs[i]
}

// reserves reports whether the variable of an account is one that configures the network or
// one of its accounts. The variable of pronet:client-secret, for example, must not be sent
// as a token.
func (n Network) reserves(account string) bool {
	name := strings.ToUpper(strings.ReplaceAll(account, "-", "_"))
	for _, setting := range n.AccountSettings {
		if strings.HasSuffix(name, "_"+setting) {
			return true
		}
	}
	if strings.HasSuffix(name, fileSuffix) {
		return true
	}
	return plain(n.Name) && ("_"+name == fileSuffix || slices.Contains(n.Settings, name) || isCommon(name))
}

// isCommon reports whether a setting is one that every network has, or may get.
func isCommon(setting string) bool {
	switch setting {
	case SettingClientID, SettingClientSecret, SettingAuthStyle, SettingAuthURL, SettingTokenURL, SettingRevokeURL,
		SettingAPIURL, SettingIssuer, SettingScopes, SettingPKCE, SettingRedirectPorts,
		"REDIRECT_HOST", "REDIRECT_PATH", "LEEWAY":
		return true
	}
	return false
}

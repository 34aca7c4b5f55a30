package server

import "strings"

// fileSuffix makes the name of a variable that names a file from that of the
// variable which would hold the secret itself.
const fileSuffix = "_FILE"

// isSetting reports whether <NETWORK>_<name> configures a network or one of its
// accounts. A reference such as pronet:client-secret must not turn it into a token
// that is sent around, so every setting of a network has to be in this table.
func isSetting(network, name string) bool {
	switch name {
	case "API_URL", "AUTH_URL", "TOKEN_URL", "REVOKE_URL", "ISSUER",
		"CLIENT_ID", "CLIENT_SECRET", "AUTH_STYLE", "PKCE", "SCOPES", "LEEWAY",
		"REDIRECT_HOST", "REDIRECT_PATH", "REDIRECT_PORTS",
		"ROUTES", "RATE_LIMIT", "COMPANY_URN",
		"FILE":
		return true
	}
	return strings.HasSuffix(name, fileSuffix) || network == "EMAIL" && isMailSetting(name)
}

// isMailSetting reports whether EMAIL_<name> says where mail is, for all accounts or
// for one: EMAIL_USER, EMAIL_MAIN_USER.
func isMailSetting(name string) bool {
	for _, setting := range []string{"IMAP_URL", "SMTP_URL", "USER", "FROM", "AUTH"} {
		if name == setting || strings.HasSuffix(name, "_"+setting) {
			return true
		}
	}
	return false
}

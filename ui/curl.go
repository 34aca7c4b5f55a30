package ui

import (
	"net/url"
	"strings"

	"github.com/svcflow/svc/engine/value"
)

// keyVariable is where the lines of [curl] find the key, so that no key gets into a
// clipboard or a shell's history.
const keyVariable = "SVC_API_KEY"

// curl returns a command that runs a stored workflow on the server at address.
func curl(address, id string, inputs map[string]any) string {
	if inputs == nil {
		inputs = map[string]any{}
	}
	body := value.Encode(map[string]any{"inputs": inputs})
	return strings.Join([]string{
		`curl -X POST ` + quote(address+"/workflows/"+url.PathEscape(id)+"/run"),
		`  -H "Authorization: Bearer $` + keyVariable + `"`,
		`  -H 'Content-Type: application/json'`,
		`  -d ` + quote(string(body)),
	}, " \\\n")
}

// curlPosted returns a command that runs a workflow that is not stored.
func curlPosted(address string, document []byte) string {
	return strings.Join([]string{
		`curl -X POST ` + quote(address+"/execute"),
		`  -H "Authorization: Bearer $` + keyVariable + `"`,
		`  -H 'Content-Type: application/json'`,
		`  -d ` + quote(string(document)),
	}, " \\\n")
}

// quote makes text one word of a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

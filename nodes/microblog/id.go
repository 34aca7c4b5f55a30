package microblog

import (
	"regexp"
	"strings"

	"github.com/svcflow/svc/engine/node"
)

var (
	idPattern   = regexp.MustCompile(`^[0-9]{1,19}$`)
	namePattern = regexp.MustCompile(`^[A-Za-z0-9_]{1,15}$`)
)

// checkID returns an error if id is not a valid id of the network. It is called before id
// becomes part of a request.
func checkID(port, id string) error {
	if idPattern.MatchString(id) {
		return nil
	}
	return node.Errorf(node.CodeInvalidInput, "%s is no id of the microblogging network; give 1 to 19 digits", port)
}

// userName returns a user's name without the @ before it.
func userName(text string) (string, error) {
	name := strings.TrimPrefix(strings.TrimSpace(text), "@")
	if !namePattern.MatchString(name) {
		return "", node.Errorf(node.CodeInvalidInput, "username is no name of a user; give up to 15 letters, digits and _, like @gopher")
	}
	return name, nil
}

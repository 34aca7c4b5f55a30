package redis

import (
	"context"
	"errors"
	"strings"

	"github.com/gomodule/redigo/redis"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

const codeRedisError = "redis_error"

// shownMessage is how many bytes of a server's error message are repeated.
const shownMessage = 1 << 10

// wrong converts an error of the server or the client. The message contains nothing of the
// data source, which holds the password.
func wrong(ctx context.Context, ref credentials.Ref, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errTooLarge):
		return node.Permanent(node.Errorf(node.CodeLimitExceeded, "the answer has more than %d MiB or %d items, or lists within lists; ask for less at once", mostBytes>>20, mostItems))
	}
	if _, known := errors.AsType[*node.Error](err); known {
		return err
	}
	said, fromServer := errors.AsType[redis.Error](err)
	if !fromServer {
		return node.Errorf(node.CodeUnavailable, "the database of %q cannot be reached, or has closed the connection", ref)
	}
	word, _, _ := strings.Cut(string(said), " ")
	switch word {
	case "NOAUTH", "WRONGPASS":
		return node.Permanent(node.Errorf(node.CodeReauthorize, "the database does not let the credential %q in; store a new one", ref))
	case "BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "OOM", "TRYAGAIN":
		return node.Errorf(node.CodeUnavailable, "the database of %q has too much to do: %s", ref, value.Shorten(node.Redact(ctx, string(said)), shownMessage))
	}
	return node.Permanent(node.Errorf(codeRedisError, "the database says: %s", value.Shorten(node.Redact(ctx, string(said)), shownMessage)))
}

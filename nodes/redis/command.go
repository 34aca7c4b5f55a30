package redis

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

const (
	commandPort    = "command"
	commandTimeout = time.Minute
	mostArgs       = 100_000
)

type commandIn struct {
	Credential value.Credential `port:"credential" network:"redis" doc:"The database, for example redis:main."`
	Command    string           `port:"command,literal" doc:"The command, without its arguments: GET, HSET, CONFIG GET."`
	Args       []any            `port:"args,optional" doc:"Its arguments, in order. Each is one, whatever it holds; lists and records are sent as JSON."`
}

type commandOut struct {
	Result any `port:"result" doc:"What the database answers."`
}

func commandNode(p *pools) node.Node {
	return node.FuncFor("redis.command", "Redis command", func(b node.Binding) (func(context.Context, commandIn) (commandOut, error), []node.Problem) {
		source, _ := b.Config[commandPort].(string)
		c, problems := parse(source)
		return func(ctx context.Context, in commandIn) (commandOut, error) { return p.command(ctx, c, in) }, problems
	}).OnceIf("the command changes something", changes).Timeout(commandTimeout).
		Aliases("redis, valkey, cache, key value, queue, get, set, database", "redis, valkey, zwischenspeicher, schlüssel, warteschlange, datenbank").
		Example(map[string]any{"credential": "redis:main", commandPort: "HGETALL", "args": []any{"customer:7"}}).Doc(
		"Sends one command to Redis or Valkey. What stands in `args` is never split or read as anything but an argument.\n\n" +
			"`command` = `SET` with `args` = `[\"greeting\",\"hello\",\"EX\",60]` keeps a text for a minute; `HGETALL` gives a record.\n\n" +
			"Whole numbers come back as such, everything else that is kept as text, since Redis keeps nothing else: `json.convert` makes numbers of it. What is not there is null; bytes that are no text become �. " +
			"Connections are shared, so what would change them for others (`SELECT`, `SUBSCRIBE`, `MULTI`, `AUTH` and the like) is refused; for several steps that belong together use `EVAL`.\n\n" +
			"Fails with `redis_error` if the database refuses the command, `unavailable` if it cannot be reached or has too much to do (another try may help), `limit_exceeded` if the answer is too large, and `reauthorize` if it does not take the credential. " +
			"When the node is cancelled, its connection ends, and so does a command that waits, such as `BLPOP`.")
}

// command is a Redis command without its arguments.
type command struct {
	name  string // the first word, in capitals
	words []any  // the words after it, such as GET in CONFIG GET
	full  string // all words, separated by spaces
}

// parse parses the command in a node's config.
func parse(source string) (command, []node.Problem) {
	words := strings.Fields(strings.ToUpper(source))
	if len(words) == 0 || len(words) > 2 || strings.ContainsFunc(source, func(r rune) bool { return r < ' ' || r > '~' }) {
		return command{}, []node.Problem{node.Invalid(commandPort, "write the name of a command, such as GET or CONFIG GET; what follows it belongs into args")}
	}
	c := command{name: words[0], full: strings.Join(words, " ")}
	for _, w := range words[1:] {
		c.words = append(c.words, w)
	}
	if slices.Contains(ofConnections(), c.name) {
		return command{}, []node.Problem{node.Invalid(commandPort, "%s changes a connection that other nodes use, too, so it cannot be sent", c.name)}
	}
	return c, nil
}

// ofConnections lists the commands that change the state of their connection. Connections
// are shared, so these commands are refused.
func ofConnections() []string {
	return []string{
		"ASKING", "AUTH", "CLIENT", "DISCARD", "EXEC", "HELLO", "MONITOR", "MULTI", "PSUBSCRIBE", "PSYNC", "PUNSUBSCRIBE", "QUIT", "READONLY", "READWRITE",
		"REPLCONF", "RESET", "SELECT", "SSUBSCRIBE", "SUBSCRIBE", "SUNSUBSCRIBE", "SYNC", "UNSUBSCRIBE", "UNWATCH", "WATCH",
	}
}

// changes reports whether sending the command twice may differ from sending it once: it is
// false for the listed commands, which only read.
func changes(b node.Binding) bool {
	source, _ := b.Config[commandPort].(string)
	c, _ := parse(source)
	return !slices.Contains([]string{
		"BITCOUNT", "DBSIZE", "ECHO", "EXISTS", "GET", "GETBIT", "GETRANGE", "HEXISTS", "HGET", "HGETALL", "HKEYS", "HLEN", "HMGET", "HSCAN", "HVALS", "INFO", "KEYS",
		"LINDEX", "LLEN", "LRANGE", "MGET", "PING", "PTTL", "SCAN", "SCARD", "SISMEMBER", "SMEMBERS", "SSCAN", "STRLEN", "TIME", "TTL", "TYPE", "XLEN", "XRANGE", "ZCARD",
		"ZCOUNT", "ZRANGE", "ZRANK", "ZSCAN", "ZSCORE",
	}, c.name)
}

func (p *pools) command(ctx context.Context, c command, in commandIn) (out commandOut, err error) {
	if len(in.Args) > mostArgs {
		return out, node.Errorf(node.CodeLimitExceeded, "a command has at most %d arguments; send several", mostArgs)
	}
	args := slices.Clone(c.words)
	for i, v := range in.Args {
		arg, err := argument(v)
		if err != nil {
			return out, node.Errorf(node.CodeInvalidInput, "the argument %d %w", i+1, err)
		}
		args = append(args, arg)
	}
	answer, err := p.do(ctx, in.Credential, c.name, args)
	if err != nil {
		return out, err
	}
	out.Result, err = resultOf(c, answer)
	if err != nil {
		return out, wrong(ctx, in.Credential, err)
	}
	return out, node.Hold(ctx, value.Size(out.Result, mostBytes))
}

// argument returns v as text, the only type that arguments have in the protocol.
func argument(v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return nil, node.Errorf(node.CodeInvalidInput, "is null, which Redis does not know")
	case string:
		return v, nil
	case value.Credential:
		return string(v), nil
	case int:
		return strconv.Itoa(v), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	}
	return string(value.Encode(v)), nil
}

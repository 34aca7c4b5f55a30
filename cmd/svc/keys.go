package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/svcflow/svc/httpapi/client"
	"github.com/svcflow/svc/httpapi/keys"
	"github.com/svcflow/svc/httpapi/keys/ring"
)

type keysCmd struct {
	Create createKeyCmd `cmd:"" help:"Create a named key and print it; it cannot be printed again."`
	List   listKeysCmd  `cmd:"" help:"List the named keys."`
	Revoke revokeKeyCmd `cmd:"" help:"Revoke named keys."`
}

// Help implements kong.HelpProvider.
func (c *keysCmd) Help() string {
	return `A named key is for one caller. It allows what its scopes say, within its limits, and you can revoke it without affecting other callers. The server stores digests of keys in DIR/keys.json; servers that use that directory see every change at once.

Scopes: read (see everything but credentials and keys), run (run stored workflows, cancel and resume runs), execute (run any document, and change documents for a run), write (change what is stored), credentials (connect, change and see accounts), hooks (arm what starts runs by itself), admin (everything).

Examples:

    svc keys create ci --scope read,run --runs 2 --data ./data > ci.key
    svc keys revoke ci --data ./data`
}

// keyring stores named keys: a data directory, or a server.
type keyring interface {
	Keys(ctx context.Context) ([]keys.Key, error)
	MakeKey(ctx context.Context, q keys.Request) (keys.Made, error)
	RevokeKey(ctx context.Context, name string) error
}

// localKeys are the keys of a data directory.
type localKeys struct{ *ring.FileRing }

func (f localKeys) Keys(ctx context.Context) ([]keys.Key, error) { return f.List(ctx) }

func (f localKeys) MakeKey(ctx context.Context, q keys.Request) (keys.Made, error) {
	return f.Make(ctx, q)
}

func (f localKeys) RevokeKey(ctx context.Context, name string) error { return f.Revoke(ctx, name) }

var (
	_ keyring = localKeys{}
	_ keyring = (*client.Client)(nil)
)

// keyring returns the named keys of the server or data directory that the flags select.
func (f *targetFlags) keyring(h *host) (keyring, error) {
	server, err := f.remote(h)
	switch {
	case err != nil:
		return nil, err
	case server != nil:
		return server, nil
	}
	return localKeys{ring.Open(f.dir())}, nil
}

type createKeyCmd struct {
	Name     string       `arg:"" name:"name" help:"Name of the key in logs and lists: lower-case letters, digits and . _ -."`
	Scope    []keys.Scope `default:"read,run" placeholder:"SCOPE" help:"Scope of the key: read, run, execute, write, credentials, hooks or admin. May be repeated."`
	Workflow []string     `sep:"none" placeholder:"PATTERN" help:"Limit the key to workflows whose id matches: * stands for any characters, \\* for an asterisk. Only with the scopes read and run. May be repeated."`
	Runs     int          `placeholder:"N" help:"How many runs may execute at once; 0 for any number."`
	Requests int          `placeholder:"N" help:"How many requests it may make in a minute; 0 for any number."`
	Bytes    int64        `placeholder:"N" help:"How many bytes requests and answers may have in a day; 0 for any number."`
	outputFlag
	targetFlags
}

// Help implements kong.HelpProvider.
func (c *createKeyCmd) Help() string {
	return `Prints only the key to standard output. It cannot be printed again.

Examples:

    svc keys create ci > ci.key
    svc keys create editor --scope read,run,write --server http://127.0.0.1:8080 --key-file data/api-key
    svc keys create shop --workflow "shop-*" > shop.key`
}

// Run creates the key.
func (c *createKeyCmd) Run(ctx context.Context, h *host) error {
	q := keys.Request{Name: c.Name, Scopes: c.Scope, Workflows: c.Workflow, Budget: keys.Budget{Runs: c.Runs, RequestsPerMinute: c.Requests, BytesPerDay: c.Bytes}}
	if err := q.Check(); err != nil {
		return usageError{Err: err}
	}
	k, err := c.keyring(h)
	if err != nil {
		return err
	}
	made, err := k.MakeKey(ctx, q)
	if err != nil {
		return err
	}
	h.errorf("the key %s may %s; it is not shown again", made.Name, keys.Words(made.Scopes))
	return c.answer(h, made, made.Secret+"\n")
}

type listKeysCmd struct {
	outputFlag
	targetFlags
}

// Help implements kong.HelpProvider.
func (c *listKeysCmd) Help() string {
	return `Prints each key: name, scopes, the workflows that it is limited to, when it was last used, when it was created, its limits. A running server records once a minute which keys were used.

Examples:

    svc keys list
    svc keys list --output json --data /var/lib/svc`
}

// Run lists the keys.
func (c *listKeysCmd) Run(ctx context.Context, h *host) error {
	k, err := c.keyring(h)
	if err != nil {
		return err
	}
	list, err := k.Keys(ctx)
	if err != nil {
		return err
	}
	t := newTable("NAME", "SCOPES", "WORKFLOWS", "USED", "MADE", "BUDGET")
	for i := range list {
		k := &list[i]
		used := "never"
		if !k.LastUsedAt.IsZero() {
			used = k.LastUsedAt.Local().Format(time.DateTime)
		}
		t.row(k.Name, keys.Words(k.Scopes), dash(strings.Join(k.Workflows, ", ")), used, k.CreatedAt.Local().Format(time.DateTime), budgetText(k.Budget))
	}
	return c.answer(h, list, t.text())
}

// budgetText formats a budget; "-" if there is no limit.
func budgetText(b keys.Budget) string {
	var parts []string
	if b.Runs > 0 {
		parts = append(parts, fmt.Sprintf("%d runs", b.Runs))
	}
	if b.RequestsPerMinute > 0 {
		parts = append(parts, fmt.Sprintf("%d requests/min", b.RequestsPerMinute))
	}
	if b.BytesPerDay > 0 {
		parts = append(parts, fmt.Sprintf("%d bytes/day", b.BytesPerDay))
	}
	return dash(strings.Join(parts, ", "))
}

type revokeKeyCmd struct {
	Names []string `arg:"" name:"name" help:"Names of the keys."`
	outputFlag
	targetFlags
}

// Help implements kong.HelpProvider.
func (c *revokeKeyCmd) Help() string {
	return `The server refuses requests with the key from now on. Runs that were started with it continue. An unknown name is an error.

Examples:

    svc keys revoke ci
    svc keys revoke ci editor --server http://127.0.0.1:8080 --key-file data/api-key`
}

// Run revokes the keys.
func (c *revokeKeyCmd) Run(ctx context.Context, h *host) error {
	k, err := c.keyring(h)
	if err != nil {
		return err
	}
	for _, name := range c.Names {
		if err := k.RevokeKey(ctx, name); err != nil {
			return fmt.Errorf("%s: %w", oneLine(name), err)
		}
	}
	return c.answer(h, deleted{Deleted: c.Names}, "")
}

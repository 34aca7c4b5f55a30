package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
)

// File keeps credentials in an environment file: lines of NAME=value with the
// names and forms that [Environment] knows, PRONET_MAIN_FILE included. Make one
// with [NewFile].
//
// The file belongs to the user who runs the server: a file that others can read is
// refused. Several processes may use it, and it may be edited by hand; it is read each
// time. A write replaces one line, in the JSON form; all other lines stay as they are. If
// a line cannot be parsed, every read fails, since that line could hold the credential.
//
// It implements [credentials.Locker].
type File struct {
	path     string
	networks network.Table
	seed     maphash.Seed       // of revisions, which so tell nothing about the secret
	local    credentials.Memory // for its locks: it holds nothing
}

// NewFile returns the source that keeps credentials of these networks in the file
// at path. The file need not exist: the first write makes it and its directory.
func NewFile(path string, networks network.Table) *File {
	return &File{path: path, networks: networks, seed: maphash.MakeSeed()}
}

// Credential implements [credentials.Provider]. The revision is a digest of what
// is stored.
func (f *File) Credential(ctx context.Context, ref credentials.Ref) (credentials.Credential, error) {
	vars, err := f.read(ctx)
	if err != nil {
		return credentials.Credential{}, err
	}
	c, err := f.environment(vars).Credential(ctx, ref)
	if err != nil {
		return credentials.Credential{}, fmt.Errorf("credentials file: %w", err)
	}
	c.Revision = f.revision(vars, ref)
	return c, nil
}

// revision returns the revision of ref, and 0 if nothing is stored.
func (f *File) revision(vars *variables, ref credentials.Ref) int64 {
	text, ok := vars.lookup(network.Variable(ref))
	if !ok {
		return 0
	}
	return int64(maphash.String(f.seed, text)>>1) + 1
}

// environment returns an Environment of vars.
func (f *File) environment(vars *variables) Environment {
	return Environment{Networks: f.networks, Lookup: vars.lookup, Environ: vars.environ}
}

// SetCredential implements [credentials.Provider]. A file that this process must
// not change is [credentials.ErrReadOnly], and so is a credential that the file
// keeps in another one.
func (f *File) SetCredential(ctx context.Context, ref credentials.Ref, c credentials.Credential) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	kept, err := c.Fields()
	if err != nil {
		return err
	}
	if strings.ContainsAny(ref.Account(), "-_") {
		kept["account"] = ref.Account() // which the name of the variable does not tell
	}
	text, _ := json.Marshal(kept) // strings and lists of them
	return f.change(ctx, ref, func(vars *variables) (string, error) {
		if c.Revision != 0 && c.Revision != f.revision(vars, ref) {
			return "", fmt.Errorf("%w: %s", credentials.ErrConflict, ref)
		}
		return vars.with(network.Variable(ref), string(text)), nil
	})
}

// Delete implements [credentials.Provider].
func (f *File) Delete(ctx context.Context, ref credentials.Ref) error {
	vars, err := f.read(ctx)
	if err != nil {
		return err
	}
	_, err = f.environment(vars).Credential(ctx, ref)
	if errors.Is(err, credentials.ErrNotFound) {
		return nil // without a lock, which a read-only directory would refuse
	}
	return f.change(ctx, ref, func(vars *variables) (string, error) {
		return vars.without(network.Variable(ref)), nil
	})
}

// change replaces the text of the file by the result of edit, under the lock.
func (f *File) change(ctx context.Context, ref credentials.Ref, edit func(*variables) (string, error)) error {
	unlock, err := f.lock(ctx, "")
	if err != nil {
		return err
	}
	defer unlock()
	vars, err := f.read(ctx)
	if err != nil {
		return err
	}
	if err := f.writable(vars, ref); err != nil {
		return err
	}
	text, err := edit(vars)
	if err != nil {
		return err
	}
	return f.write(text)
}

// CheckWritable reports as [credentials.ErrReadOnly] that the file cannot take a
// credential for ref.
func (f *File) CheckWritable(ctx context.Context, ref credentials.Ref) error {
	vars, err := f.read(ctx)
	if err != nil {
		return err
	}
	return f.writable(vars, ref)
}

func (f *File) writable(vars *variables, ref credentials.Ref) error {
	if !f.networks.Allows(ref) {
		return fmt.Errorf("%w: the credentials file cannot hold %s", credentials.ErrReadOnly, ref)
	}
	name := network.FileVariable(ref)
	if elsewhere, _ := vars.lookup(name); elsewhere != "" {
		return fmt.Errorf("%w: change what %s in the credentials file names", credentials.ErrReadOnly, name)
	}
	if owner := f.environment(vars).owner(ref); owner != ref {
		return fmt.Errorf("%w: %s and %s share the variable %s; call one of the accounts by another name",
			credentials.ErrReadOnly, owner, ref, network.Variable(ref))
	}
	return nil
}

// List implements [credentials.Provider]. References are as in [Environment].
func (f *File) List(ctx context.Context) ([]credentials.Info, error) {
	vars, err := f.read(ctx)
	if err != nil {
		return nil, err
	}
	infos, err := f.environment(vars).List(ctx)
	for i := range infos {
		infos[i].Source = "file"
	}
	return infos, err
}

// Lock implements [credentials.Locker] with a lock file for each reference, in
// the directory of the file. The system frees the lock of a process that dies.
// Where this process may write nothing, it locks for itself alone.
func (f *File) Lock(ctx context.Context, ref credentials.Ref) (unlock func(), err error) {
	if _, err := credentials.ParseRef(string(ref)); err != nil { // it becomes a part of a name
		return nil, fmt.Errorf("%w: %w", credentials.ErrUnavailable, err)
	}
	unlock, err = f.lock(ctx, "."+network.Variable(ref))
	if errors.Is(err, credentials.ErrReadOnly) {
		return f.local.Lock(ctx, ref)
	}
	return unlock, err
}

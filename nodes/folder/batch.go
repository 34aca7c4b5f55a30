package folder

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"

	"github.com/svcflow/svc/engine/durable"
)

// Batch writes several files that appear together or not at all. Callers must call Discard,
// which does nothing after Commit. It is not safe for concurrent use.
type Batch struct {
	disk    Disk
	pending []pendingFile
	made    []string // directories, parents first
}

type pendingFile struct {
	name   string
	file   *durable.Pending
	backup string // the file that was there before
}

// Batch returns an empty batch.
func (d Disk) Batch() *Batch { return &Batch{disk: d} }

// Write writes the output of write for the file name, and returns the number of bytes. It
// creates missing directories. The file appears with Commit.
func (b *Batch) Write(name string, write func(io.Writer) error) (int, error) {
	b.noteMissing(path.Dir(name))
	file, n, err := b.disk.stage(name, write)
	if err == nil {
		b.pending = append(b.pending, pendingFile{name: name, file: file})
	}
	return n, err
}

// noteMissing notes the directories that have to be created for dir.
func (b *Batch) noteMissing(dir string) {
	if dir == "." || dir == "/" {
		return
	}
	if _, err := b.disk.Files.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		b.noteMissing(path.Dir(dir))
		b.made = append(b.made, dir)
	}
}

// Commit replaces the files. If that fails for one of them, all are as before.
func (b *Batch) Commit() error {
	for i := range b.pending {
		p := &b.pending[i]
		err := b.setAside(p)
		if err == nil {
			err = p.file.Commit()
		}
		if err != nil {
			return errors.Join(Failure(p.name, err), b.restore(i))
		}
	}
	var err error
	for i := range b.pending {
		if backup := b.pending[i].backup; backup != "" {
			err = errors.Join(err, Failure(b.pending[i].name, b.disk.Files.Remove(backup)))
		}
	}
	b.pending, b.made = nil, nil
	return err
}

// setAside renames the file that p replaces, if there is one, for a failure of a later file.
func (b *Batch) setAside(p *pendingFile) error {
	if _, err := b.disk.Files.Stat(p.name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	backup := path.Join(path.Dir(p.name), durable.TempName(rand.Text()))
	if err := b.disk.Files.Rename(p.name, backup); err != nil {
		return err
	}
	p.backup = backup
	return nil
}

// restore undoes the first n commits and the one that failed.
func (b *Batch) restore(n int) (err error) {
	for i := range n + 1 {
		switch p := b.pending[i]; {
		case p.backup != "":
			err = errors.Join(err, Failure(p.name, b.disk.Files.Rename(p.backup, p.name)))
		case i < n:
			err = errors.Join(err, Failure(p.name, b.disk.Files.Remove(p.name)))
		}
	}
	b.pending = b.pending[n+1:]
	return err
}

// Discard removes what was written and not committed, and the directories that were created
// for it.
func (b *Batch) Discard() {
	for i := range b.pending {
		_ = b.pending[i].file.Discard() // temporary files that stay are removed later
	}
	for _, name := range slices.Backward(b.made) {
		_ = b.disk.Files.Remove(name) // others may have written to it
	}
	b.pending, b.made = nil, nil
}

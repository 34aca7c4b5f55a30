package statelog

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/svcflow/svc/store/internal/vfs"
)

// stateLog is the file that state is kept in, and what is known of it. Its first line
// tells it from the files that were there before it, and how much was put there with it:
// lines with a change each. Then come batches: such lines, and one with their checksum. What
// follows the last batch is no part of the file: a crash has left it, and the next one takes
// its place. So a batch is there as a whole, or not at all.
//
// Whoever uses it has locked it.
type stateLog struct {
	disk vfs.FS
	dir  string
	from int64 // which size on it is written anew if most of it has become useless

	table  *stateTable // nil if all of it is to be read
	head   string      // the first line
	size   int64       // up to the end of the last batch
	end    int64       // of the file
	torn   bool        // between size and end there is what was refused
	least  int64       // about what would be left of it, written anew
	broken bool        // the disk has failed to take what others have written, and may say later that it has; or it is damaged
}

const stateName = "state.log"

// stateHead is the first line of the file.
type stateHead struct {
	Log   string `json:"log"`
	Bytes int    `json:"bytes"` // of the lines that were put there with it
}

func (l *stateLog) path() string { return filepath.Join(l.dir, stateName) }

// open opens the file, which it makes if need be, and reads of it what is not known yet.
// All that is known then is on the disk.
func (l *stateLog) open() (vfs.File, error) {
	file, err := l.disk.Open(l.path(), os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		l.table = newStateTable()
		return l.reopen()
	}
	if err != nil {
		return nil, fmt.Errorf("open the state: %w", err)
	}
	if err = l.cut(file); err == nil {
		err = l.catchUp(file)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the state: %w", err), file.Close())
	}
	if l.broken {
		_ = file.Close() // another one takes its place
		return l.reopen()
	}
	return file, nil
}

// reopen opens the file that has been written anew.
func (l *stateLog) reopen() (vfs.File, error) {
	if err := l.rewrite(); err != nil {
		return nil, err
	}
	return l.disk.Open(l.path(), os.O_RDWR)
}

// cut takes away what was refused and is there all the same, unless somebody has gone on
// from it.
func (l *stateLog) cut(file vfs.File) error {
	if !l.torn {
		return nil
	}
	size, isMine, err := l.looks(file)
	if err == nil && isMine && size <= l.end {
		err = file.Truncate(l.size)
	}
	l.torn = err != nil
	return err
}

// looks returns the size of the file, and whether it is the one that is known.
func (l *stateLog) looks(file vfs.File) (size int64, isMine bool, err error) {
	if size, err = file.Size(); err != nil {
		return 0, false, err
	}
	head := make([]byte, min(size, int64(len(l.head))))
	if _, err := file.ReadAt(head, 0); err != nil && len(head) > 0 {
		return 0, false, err
	}
	return size, l.head == string(head) && size >= l.size, nil
}

// catchUp reads what others have added, and puts it on the disk: they may have died before
// they could.
func (l *stateLog) catchUp(file vfs.File) error {
	size, isMine, err := l.looks(file)
	if err != nil {
		return err
	}
	if l.table == nil || !isMine {
		l.table, l.head, l.size, l.least = newStateTable(), "", 0, 0
	}
	known := l.size
	if l.end = size; size == known {
		return nil
	}
	text := make([]byte, size-known)
	if _, err := file.ReadAt(text, known); err != nil {
		l.table = nil
		return err
	}
	l.read(text)
	if l.size == known || l.broken {
		return nil
	}
	if err = file.Sync(); err == nil && known == 0 {
		err = l.disk.SyncDir(l.dir) // the file may have been put there a moment ago
	}
	if err != nil {
		l.table, l.broken = nil, true
	}
	return err
}

// read makes the changes in text, which follows what is known.
func (l *stateLog) read(text []byte) {
	whole := 0
	if l.head == "" {
		whole = l.readBase(text)
	}
	l.size += int64(whole + l.readBatches(text[whole:]))
	l.least = max(l.least, l.table.bytes)
}

// readBase reads what was put there when the file was made, and returns how many bytes that
// is. Damage costs the line that it is in.
func (l *stateLog) readBase(text []byte) int {
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	var head stateHead
	if json.Unmarshal(line, &head) != nil || head.Bytes < 0 || head.Bytes > len(rest) {
		head.Bytes, l.broken = len(rest), true // where it ends is not known, so all counts that can be read
	}
	l.head = string(text[:len(text)-len(rest)])
	for line := range bytes.Lines(rest[:head.Bytes]) {
		if change := stateLineOf(line); change != nil {
			l.table.apply(change)
		}
	}
	return len(l.head) + head.Bytes
}

// readBatches reads batches, and returns how many bytes there are up to the end of the last
// whole one. Damage to one that others follow costs the lines that it is in.
func (l *stateLog) readBatches(text []byte) (whole int) {
	var changes []*stateLine
	at, from := 0, 0 // of a line, of its batch
	for line := range bytes.Lines(text) {
		change := stateLineOf(line)
		isEnd := change != nil && change.Do == stateBatched
		if isEnd && crc32.Checksum(text[from:at], vfs.Castagnoli) == change.Sum {
			l.table.applyAll(changes)
			changes, whole = nil, at+len(line)
		}
		at += len(line)
		switch {
		case isEnd:
			from = at
		case change != nil:
			changes = append(changes, change)
		}
	}
	return whole
}

// stateLineOf returns what a line says; nil if it is damaged.
func stateLineOf(text []byte) *stateLine {
	line := &stateLine{}
	if !bytes.HasSuffix(text, []byte("\n")) || json.Unmarshal(text, line) != nil {
		return nil
	}
	return line
}

// append puts a batch at the end of the file, and returns once it is on the disk. If it
// cannot, the table is to be read anew.
func (l *stateLog) append(file vfs.File, batch *stateBatch) error {
	if len(batch.text) == 0 {
		return nil
	}
	text, err := batch.end()
	if err == nil && l.end > l.size {
		err = file.Truncate(l.size)
	}
	if err == nil {
		_, err = file.WriteAt(text, l.size)
	}
	if err == nil {
		err = file.Sync()
	}
	if err != nil {
		l.table, l.torn, l.end = nil, true, l.size+int64(len(text))
		return errors.Join(fmt.Errorf("write the state: %w", err), l.cut(file))
	}
	l.size += int64(len(text))
	l.end = l.size
	return nil
}

// shrink writes the file anew if most of it has become useless.
func (l *stateLog) shrink() {
	if l.table != nil && l.size > l.from && l.size > 4*l.least {
		_ = l.rewrite() // the next change tries again; what is to be kept is on the disk
	}
}

// rewrite puts a file with what is of use in the place of the one that is there.
func (l *stateLog) rewrite() error {
	l.table.sweep(time.Now())
	batch := stateBatch{}
	if err := batch.write(l.table.lines()); err != nil {
		return err
	}
	head, err := json.Marshal(stateHead{Log: rand.Text(), Bytes: len(batch.text)})
	if err != nil {
		return err
	}
	head = append(head, '\n')
	text := slices.Concat(head, batch.text)
	if err := l.disk.Replace(l.path(), text); err != nil {
		l.table = nil // which file it is now is to be seen
		return fmt.Errorf("rewrite the state: %w", err)
	}
	l.head, l.broken = string(head), false
	l.size = int64(len(text))
	l.end, l.least = l.size, l.size
	return nil
}

// stateBatch is lines that are written at once.
type stateBatch struct{ text []byte }

// add makes changes, which the batch has from then on.
func (b *stateBatch) add(t *stateTable, lines []*stateLine) error {
	if err := b.write(lines); err != nil {
		return err
	}
	t.applyAll(lines)
	return nil
}

// write appends lines, all or none.
func (b *stateBatch) write(lines []*stateLine) error {
	made := bytes.NewBuffer(b.text)
	encode := json.NewEncoder(made) // a line for each
	encode.SetEscapeHTML(false)     // values come back as they were
	for _, line := range lines {
		if err := encode.Encode(line); err != nil {
			return err
		}
	}
	b.text = made.Bytes()
	return nil
}

// end appends the line that ends a batch, and returns all of it.
func (b *stateBatch) end() ([]byte, error) {
	err := b.write([]*stateLine{{Do: stateBatched, Sum: crc32.Checksum(b.text, vfs.Castagnoli)}})
	return b.text, err
}

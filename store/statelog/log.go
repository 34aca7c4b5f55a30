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

// stateLog is the log file of the state, and what is known about it. The first line identifies the
// file, among earlier files of the same name, and says how many bytes of lines were written when it
// was created. Batches follow: lines with a change each, and a last line with their checksum. Bytes
// after the last complete batch were left by a crash and are overwritten. So a batch is there
// completely or not at all.
//
// The caller must hold the lock of the directory.
type stateLog struct {
	disk vfs.FS
	dir  string
	from int64 // size from which on the log is rewritten if most of it is outdated

	table  *stateTable // nil if the whole file must be read
	head   string      // the first line
	size   int64       // offset of the end of the last batch
	end    int64       // of the file
	torn   bool        // a failed write left bytes between size and end
	least  int64       // about the size after a rewrite
	broken bool        // a sync of other processes' lines has failed, and later syncs may wrongly succeed; or the file is damaged
}

const stateName = "state.log"

// stateHead is the JSON of the first line.
type stateHead struct {
	Log   string `json:"log"`
	Bytes int    `json:"bytes"` // size of the lines written when the file was created
}

func (l *stateLog) path() string { return filepath.Join(l.dir, stateName) }

// open opens the file, creates it if necessary, and reads what was added since the last time. All
// that was read is on the disk.
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
		_ = file.Close() // replaced by a new file
		return l.reopen()
	}
	return file, nil
}

// reopen rewrites the file and opens it.
func (l *stateLog) reopen() (vfs.File, error) {
	if err := l.rewrite(); err != nil {
		return nil, err
	}
	return l.disk.Open(l.path(), os.O_RDWR)
}

// cut truncates the bytes of a failed write, unless another process has appended to them.
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

// looks returns the size of the file, and whether it is still the known file.
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

// catchUp reads what other processes have appended, and syncs it, since they may have died before
// their sync.
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
		err = l.disk.SyncDir(l.dir) // the file may have been created a moment ago
	}
	if err != nil {
		l.table, l.broken = nil, true
	}
	return err
}

// read applies the changes in text, which follows the known part of the file.
func (l *stateLog) read(text []byte) {
	whole := 0
	if l.head == "" {
		whole = l.readBase(text)
	}
	l.size += int64(whole + l.readBatches(text[whole:]))
	l.least = max(l.least, l.table.bytes)
}

// readBase reads the lines that were written when the file was created, and returns their size. It
// skips damaged lines.
func (l *stateLog) readBase(text []byte) int {
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	var head stateHead
	if json.Unmarshal(line, &head) != nil || head.Bytes < 0 || head.Bytes > len(rest) {
		head.Bytes, l.broken = len(rest), true // the size of the base is unknown, so every readable line counts
	}
	l.head = string(text[:len(text)-len(rest)])
	for line := range bytes.Lines(rest[:head.Bytes]) {
		if change := stateLineOf(line); change != nil {
			l.table.apply(change)
		}
	}
	return len(l.head) + head.Bytes
}

// readBatches applies the batches in text, and returns the offset of the end of the last complete
// one. If a damaged batch is followed by others, only its damaged lines are lost.
func (l *stateLog) readBatches(text []byte) (whole int) {
	var changes []*stateLine
	at, from := 0, 0 // offsets of the line and of its batch
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

// stateLineOf parses a line; nil if it is damaged.
func stateLineOf(text []byte) *stateLine {
	line := &stateLine{}
	if !bytes.HasSuffix(text, []byte("\n")) || json.Unmarshal(text, line) != nil {
		return nil
	}
	return line
}

// append appends a batch and syncs it. After an error the table must be read again.
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

// shrink rewrites the file if most of it is outdated.
func (l *stateLog) shrink() {
	if l.table != nil && l.size > l.from && l.size > 4*l.least {
		_ = l.rewrite() // the next change tries again; nothing is lost
	}
}

// rewrite replaces the file by one with the live lines.
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
		l.table = nil // which file is there now is unknown
		return fmt.Errorf("rewrite the state: %w", err)
	}
	l.head, l.broken = string(head), false
	l.size = int64(len(text))
	l.end, l.least = l.size, l.size
	return nil
}

// stateBatch collects lines that are written together.
type stateBatch struct{ text []byte }

// add adds lines and applies them to the table.
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
	encode := json.NewEncoder(made) // writes a line feed after each value
	encode.SetEscapeHTML(false)     // values must stay unchanged
	for _, line := range lines {
		if err := encode.Encode(line); err != nil {
			return err
		}
	}
	b.text = made.Bytes()
	return nil
}

// end appends the last line of the batch, with the checksum, and returns the text.
func (b *stateBatch) end() ([]byte, error) {
	err := b.write([]*stateLine{{Do: stateBatched, Sum: crc32.Checksum(b.text, vfs.Castagnoli)}})
	return b.text, err
}

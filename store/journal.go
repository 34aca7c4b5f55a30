package store

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"sync"

	"github.com/svcflow/svc/engine/run"
)

// fileJournal writes the journal of one run.
type fileJournal struct {
	runs  *RunFiles
	entry *runEntry[fileRun]

	mu   sync.Mutex
	file diskFile // nil once the run has ended or the store is closed
	buf  []byte
	torn bool // behind the last line there is what has to be cut off first
}

// keptBuffer is up to how many bytes a journal keeps its buffer for the next line.
const keptBuffer = 64 << 10

// Append implements [Journal].
func (j *fileJournal) Append(f run.Frame) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.append(f); err != nil {
		return fmt.Errorf("append to run %s: %w", j.entry.record.RunID, err)
	}
	return nil
}

func (j *fileJournal) append(f run.Frame) error {
	if j.file == nil {
		return fs.ErrClosed
	}
	e := j.entry // frames and bytes are changed here only
	how, err := checkAppend(f, e.frames)
	if err != nil {
		return err
	}
	text, err := appendLine(j.buf[:0], f.Seq, string(f.Name), f.Data)
	if err == nil && f.Name.Terminal() {
		text, err = appendEnd(text, f.Seq+1, lineEnd{how, e.bytes})
	}
	if err != nil {
		return err
	}
	if j.buf = text; cap(text) > keptBuffer {
		j.buf = nil
	}
	if f.Name.Terminal() {
		return j.finish(text, how)
	}
	if err = j.write(text, false); noRoom(err) {
		err = j.runs.room.undisturbed(func() error { return j.write(text, false) })
	}
	if err != nil {
		return err
	}
	j.runs.grew(e, int64(len(text)))
	return nil
}

func appendEnd(dst []byte, seq int, end lineEnd) ([]byte, error) {
	data, err := json.Marshal(end)
	if err != nil {
		return nil, err
	}
	return appendLine(dst, seq, lineFinal, data)
}

// finish writes the last lines of the journal and closes it.
func (j *fileJournal) finish(text []byte, how ending) error {
	err := j.write(text, true)
	if noRoom(err) {
		err = j.runs.room.undisturbed(func() error { return j.write(text, true) })
	}
	for noRoom(err) && j.runs.room.give() {
		err = j.write(text, true)
	}
	if err != nil {
		return err
	}
	_ = j.file.Close() // all is on the disk
	j.file = nil
	j.runs.ended(j.entry, int64(len(text)), how)
	return nil
}

// write puts text behind what is there, or nothing of it.
func (j *fileJournal) write(text []byte, sync bool) error {
	end := j.entry.bytes
	if j.torn {
		if err := j.file.Truncate(end); err != nil {
			return err
		}
		j.torn = false
	}
	_, err := j.file.WriteAt(text, end)
	if err == nil && sync {
		err = j.file.Sync()
	}
	if err != nil {
		j.torn = j.file.Truncate(end) != nil
	}
	return err
}

// close gives the file up, whatever state the run is in.
func (j *fileJournal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	f := j.file
	j.file = nil
	return f.Close()
}

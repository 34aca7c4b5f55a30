package runlog

import (
	"errors"
	"fmt"
	"os"

	"github.com/svcflow/svc/store/internal/runtext"
	"github.com/svcflow/svc/store/internal/vfs"
)

// mend puts on the disk what this has failed to take. A system that could not write something
// forgets that: what it has of it in memory counts as written, and the next call says that
// all is well. So the file is opened again, all that is not known to be on the disk is
// written once more, and only if that is on the disk the log takes anything else. The caller
// holds mu.
func (l *runLog) mend() error {
	if !l.broken || l.file == nil {
		return nil
	}
	f, err := l.disk.Open(l.path(l.number), os.O_RDWR)
	if err != nil {
		return err
	}
	if err := l.rewrite(f); err != nil {
		return errors.Join(err, f.Close())
	}
	l.retired = append(l.retired, l.file)
	l.file, l.broken, l.unready = f, false, false
	l.synced = place{Segment: l.number, From: uint32(l.end)}
	return nil
}

// rewrite writes what stands behind synced where it is, in another file of the same name.
func (l *runLog) rewrite(f vfs.File) error {
	from := int64(0)
	if l.synced.Segment == l.number {
		from = int64(l.synced.From)
	}
	text := make([]byte, l.end-from)
	if _, err := f.ReadAt(text, from); err != nil {
		return err
	}
	for rest := text; len(rest) > 0; {
		size, ok := lineSize(rest)
		if ok = ok && size <= int64(len(rest)); ok {
			_, err := parseLine(rest[:size])
			ok = err == nil
		}
		if !ok {
			return fmt.Errorf("what the disk has failed to take of %s is lost; the runs have to be opened again: %w", segmentName(l.number), runtext.ErrLine)
		}
		rest = rest[size:]
	}
	if _, err := f.WriteAt(text, from); err != nil {
		return err
	}
	return errors.Join(f.Sync(), l.disk.SyncDir(l.dir))
}

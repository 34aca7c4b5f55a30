package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/svcflow/svc/store/durable"
)

// memoryLog keeps what triggers remember as lines of JSON, each in the place of those before
// it of the same trigger, so that many of them need one sync of the disk. What has become
// useless is left out when the file is written anew.
type memoryLog struct {
	path string
	file *os.File // nil until it is needed
	live map[triggerKey]json.RawMessage
	size int64 // of the file, up to the end of its last whole line
	used int64 // of that, what the lines of live take
}

type triggerKey struct{ workflow, node string }

// memoryLine is a line of the log; without a memory the trigger is forgotten.
type memoryLine struct {
	WorkflowID string          `json:"workflowId"`
	NodeID     string          `json:"nodeId"`
	Memory     json.RawMessage `json:"memory,omitempty"`
}

// rewriteFrom is from which size on a log is written anew that is four times as large as
// what is of use in it.
const rewriteFrom = 1 << 20

// open reads the log, once. What a crash has left behind the last whole line is cut off.
func (l *memoryLog) open() error {
	if l.file != nil {
		return nil
	}
	text, err := os.ReadFile(l.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read what triggers remember: %w", err)
	}
	l.live, l.size, l.used = map[triggerKey]json.RawMessage{}, 0, 0
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		l.size += int64(len(line))
		var m memoryLine
		if json.Unmarshal(line, &m) == nil { // damage costs its line alone
			l.keep(m, int64(len(line)))
		}
	}
	file, err := os.OpenFile(l.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("open what triggers remember: %w", err)
	}
	if err := file.Truncate(l.size); err != nil {
		return errors.Join(err, file.Close())
	}
	l.file = file
	return nil
}

func (l *memoryLog) keep(m memoryLine, size int64) {
	key := triggerKey{m.WorkflowID, m.NodeID}
	if m.Memory == nil {
		delete(l.live, key)
		return
	}
	if before, ok := l.live[key]; ok {
		size -= int64(len(before))
	}
	l.live[key] = m.Memory
	l.used += size
}

// append writes lines and returns when they are on the disk. After an error none of them is
// there.
func (l *memoryLog) append(lines []memoryLine) error {
	if err := l.open(); err != nil {
		return err
	}
	var text []byte
	sizes := make([]int64, len(lines))
	for i, m := range lines {
		line, err := json.Marshal(m)
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
		sizes[i] = int64(len(line)) + 1
	}
	_, err := l.file.WriteAt(text, l.size)
	if err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write what triggers remember: %w", err), l.file.Truncate(l.size))
	}
	l.size += int64(len(text))
	for i, m := range lines {
		l.keep(m, sizes[i])
	}
	if l.size > rewriteFrom && l.size > 4*l.used {
		return l.rewrite()
	}
	return nil
}

// rewrite puts a file with what is of use in the place of the log.
func (l *memoryLog) rewrite() error {
	var text []byte
	for key, memory := range l.live {
		line, err := json.Marshal(memoryLine{key.workflow, key.node, memory})
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	if err := durable.Replace(l.path, text, durable.Options{}); err != nil {
		return fmt.Errorf("rewrite what triggers remember: %w", err)
	}
	err := l.file.Close()
	l.file = nil
	return errors.Join(err, l.open())
}

// forgotten returns the lines that forget the triggers of a workflow.
func (l *memoryLog) forgotten(workflowID string) (lines []memoryLine) {
	for _, key := range slices.SortedFunc(maps.Keys(l.live), func(a, b triggerKey) int { return bytes.Compare([]byte(a.node), []byte(b.node)) }) {
		if key.workflow == workflowID {
			lines = append(lines, memoryLine{WorkflowID: workflowID, NodeID: key.node})
		}
	}
	return lines
}

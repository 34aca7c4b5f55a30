package filestore

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/svcflow/svc/engine/durable"
)

// triggerLog keeps what triggers remember as lines of JSON, each in the place of those before
// it of the same trigger, so that many of them need one sync of the disk. What has become
// useless is left out when the file is written anew.
type triggerLog struct {
	path string
	file *os.File // nil until it is needed
	live map[triggerKey]lineAt
	size int64 // of the file, up to the end of its last whole line
	used int64 // of that, what the lines of live take
}

// triggerKey stands for a trigger: digests of its workflow and of its node, since there may be
// very many of them. Who reads a line looks whether it is the right one.
type triggerKey struct {
	workflow [12]byte
	node     [8]byte
}

func keyOf(workflowID, nodeID string) (k triggerKey) {
	workflow, node := sha256.Sum256([]byte(workflowID)), sha256.Sum256([]byte(nodeID))
	copy(k.workflow[:], workflow[:])
	copy(k.node[:], node[:])
	return k
}

// lineAt is where a line is in the file.
type lineAt struct {
	at   int64
	size int32
}

// triggerLine is a line of the log; without a memory the trigger is forgotten.
type triggerLine struct {
	WorkflowID string          `json:"workflowId"`
	NodeID     string          `json:"nodeId"`
	Memory     json.RawMessage `json:"memory,omitempty"`
}

// rewriteFrom is from which size on a log is written anew that is four times as large as
// what is of use in it.
const rewriteFrom = 1 << 20

// open reads the log, once. What a crash has left behind the last whole line is cut off.
func (l *triggerLog) open() error {
	if l.file != nil {
		return nil
	}
	text, err := os.ReadFile(l.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read what triggers remember: %w", err)
	}
	l.live, l.size, l.used = map[triggerKey]lineAt{}, 0, 0
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		var m triggerLine
		if json.Unmarshal(line, &m) == nil { // damage costs its line alone
			l.index(&m, lineAt{l.size, int32(len(line))})
		}
		l.size += int64(len(line))
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

func (l *triggerLog) index(m *triggerLine, at lineAt) {
	key := keyOf(m.WorkflowID, m.NodeID)
	l.used -= int64(l.live[key].size)
	if m.Memory == nil {
		delete(l.live, key)
		return
	}
	l.live[key] = at
	l.used += int64(at.size)
}

// memory returns what a trigger remembers; nil if that is nothing.
func (l *triggerLog) memory(workflowID, nodeID string) ([]byte, error) {
	at, ok := l.live[keyOf(workflowID, nodeID)]
	if !ok {
		return nil, nil
	}
	m, err := l.line(at)
	if err != nil || m.WorkflowID != workflowID || m.NodeID != nodeID {
		return nil, err
	}
	return m.Memory, nil
}

// line reads a line.
func (l *triggerLog) line(at lineAt) (m triggerLine, err error) {
	text := make([]byte, at.size)
	if _, err := l.file.ReadAt(text, at.at); err != nil {
		return m, fmt.Errorf("read what triggers remember: %w", err)
	}
	return m, json.Unmarshal(text, &m)
}

// append writes lines and returns when they are on the disk. After an error none of them is
// there.
func (l *triggerLog) append(lines []triggerLine) error {
	if err := l.open(); err != nil {
		return err
	}
	var text []byte
	places := make([]lineAt, len(lines))
	for i := range lines {
		line, err := json.Marshal(&lines[i])
		if err != nil {
			return err
		}
		places[i] = lineAt{l.size + int64(len(text)), int32(len(line)) + 1}
		text = append(append(text, line...), '\n')
	}
	_, err := l.file.WriteAt(text, l.size)
	if err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write what triggers remember: %w", err), l.file.Truncate(l.size))
	}
	l.size += int64(len(text))
	for i := range lines {
		l.index(&lines[i], places[i])
	}
	if l.size > rewriteFrom && l.size > 4*l.used {
		return l.rewrite()
	}
	return nil
}

// rewrite puts a file with what is of use in the place of the log.
func (l *triggerLog) rewrite() error {
	text := make([]byte, 0, l.used)
	for _, at := range slices.SortedFunc(maps.Values(l.live), func(x, y lineAt) int { return cmp.Compare(x.at, y.at) }) {
		line := text[len(text) : len(text)+int(at.size)]
		if _, err := l.file.ReadAt(line, at.at); err != nil {
			return fmt.Errorf("read what triggers remember: %w", err)
		}
		text = text[:len(text)+len(line)]
	}
	if err := durable.Replace(l.path, text, durable.Options{}); err != nil {
		return fmt.Errorf("rewrite what triggers remember: %w", err)
	}
	err := l.file.Close()
	l.file = nil
	return errors.Join(err, l.open())
}

// forgotten returns the lines that forget the triggers of a workflow.
func (l *triggerLog) forgotten(workflowID string) (lines []triggerLine, err error) {
	workflow := keyOf(workflowID, "").workflow
	for key, at := range l.live {
		if key.workflow != workflow {
			continue
		}
		m, failed := l.line(at)
		err = errors.Join(err, failed)
		if failed == nil && m.WorkflowID == workflowID {
			lines = append(lines, triggerLine{WorkflowID: workflowID, NodeID: m.NodeID})
		}
	}
	return lines, err
}

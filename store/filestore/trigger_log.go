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

// triggerLog stores the state of triggers as lines of JSON. A line replaces earlier lines of the
// same trigger. Appending lets the state of many triggers be saved with one sync. Rewriting the
// file drops replaced lines.
type triggerLog struct {
	path string
	file *os.File // opened on first use
	live map[triggerKey]lineAt
	size int64 // of the file, up to the end of its last complete line
	used int64 // bytes of live lines
}

// triggerKey identifies a trigger by digests of its workflow and node, which save memory, since
// there may be very many triggers. Digests may collide, so readers must compare the ids in the
// line.
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

// lineAt is the position of a line in the file.
type lineAt struct {
	at   int64
	size int32
}

// triggerLine is a line of the log. Without a memory it deletes the state of the trigger.
type triggerLine struct {
	WorkflowID string          `json:"workflowId"`
	NodeID     string          `json:"nodeId"`
	Memory     json.RawMessage `json:"memory,omitempty"`
}

// rewriteFrom is the size from which on the log is rewritten when less than a quarter of it is
// live.
const rewriteFrom = 1 << 20

// open reads the log on first use, and cuts off an incomplete last line, which a crash has left.
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
		if json.Unmarshal(line, &m) == nil { // a damaged line affects only its own trigger
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

// memory returns the state of a trigger; nil if there is no state.
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

// line reads and decodes a line.
func (l *triggerLog) line(at lineAt) (m triggerLine, err error) {
	text := make([]byte, at.size)
	if _, err := l.file.ReadAt(text, at.at); err != nil {
		return m, fmt.Errorf("read what triggers remember: %w", err)
	}
	return m, json.Unmarshal(text, &m)
}

// append writes lines and syncs them, all or nothing.
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

// rewrite replaces the log by a file with the live lines.
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

// forgotten returns the lines that delete the state of all triggers of a workflow.
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

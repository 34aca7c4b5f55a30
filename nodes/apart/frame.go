package apart

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Message is a request or an answer between the two processes: a head and the data that it is
// about.
type Message struct{ Head, Body []byte }

const (
	// maxMessage bounds a message in either direction.
	maxMessage = 512 << 20
	// lengths is how many bytes the lengths of the two parts take.
	lengths = 8
	// small bounds messages that are copied into one buffer, to be sent by one call.
	small = 64 << 10
)

// write sends a message: the lengths of its parts in four bytes each, big-endian, and the
// parts.
func write(w io.Writer, m Message) error {
	size := len(m.Head) + len(m.Body)
	if size > maxMessage {
		return fmt.Errorf("a message of %d bytes is more than the %d that may be sent", size, maxMessage)
	}
	text := make([]byte, 0, lengths+len(m.Head)+min(len(m.Body), small))
	text = binary.BigEndian.AppendUint32(text, uint32(len(m.Head)))
	text = binary.BigEndian.AppendUint32(text, uint32(len(m.Body)))
	text = append(text, m.Head...)
	if len(m.Body) <= small {
		_, err := w.Write(append(text, m.Body...))
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	_, err := w.Write(m.Body)
	return err
}

// read receives a message of at most the given bytes. If the sender has closed the stream
// between two messages, the error is io.EOF.
func read(r io.Reader, most int) (Message, error) {
	var sizes [lengths]byte
	if _, err := io.ReadFull(r, sizes[:]); err != nil {
		return Message{}, err
	}
	head, body := int(binary.BigEndian.Uint32(sizes[:])), int(binary.BigEndian.Uint32(sizes[4:]))
	if head+body > most {
		return Message{}, fmt.Errorf("a message of %d bytes is more than the %d that are taken", head+body, most)
	}
	data := make([]byte, head+body)
	if _, err := io.ReadFull(r, data); err != nil {
		return Message{}, io.ErrUnexpectedEOF
	}
	return Message{data[:head:head], data[head:]}, nil
}

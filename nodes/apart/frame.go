package apart

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Message is what the two processes send each other: what is asked or answered, and the
// data that it is about.
type Message struct{ Head, Body []byte }

const (
	// maxMessage bounds a message, whoever sent it.
	maxMessage = 512 << 20
	// lengths is how many bytes tell how long the two parts are.
	lengths = 8
	// small is up to how many bytes a message is worth a copy, to be sent by one call.
	small = 64 << 10
)

// write sends a message: the lengths of its parts in four bytes each, the highest first,
// and these.
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

// read receives a message of at most so many bytes. Where the sender ended between two of
// them its error is io.EOF.
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

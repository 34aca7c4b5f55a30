package code

import (
	"encoding/binary"
	"fmt"
	"io"
)

// A frame is what the two processes send each other: four bytes with the length of what
// follows, the highest first, and that.

// maxFrame bounds a frame, whoever sent it.
const maxFrame = 512 << 20

func writeFrame(w io.Writer, data []byte) error {
	if len(data) > maxFrame {
		return fmt.Errorf("a message of %d bytes is more than the %d that may be sent", len(data), maxFrame)
	}
	var head [4]byte
	binary.BigEndian.PutUint32(head[:], uint32(len(data)))
	if _, err := w.Write(head[:]); err != nil {
		return err
	}
	_, err := w.Write(data)
	return err
}

// readFrame reads a frame of at most so many bytes. Where the sender ended between two
// frames its error is io.EOF.
func readFrame(r io.Reader, most int) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint32(head[:]))
	if n > most {
		return nil, fmt.Errorf("a message of %d bytes is more than the %d that are taken", n, most)
	}
	data := make([]byte, n)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	return data, nil
}

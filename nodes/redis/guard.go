package redis

import (
	"bytes"
	"errors"
	"net"
	"strconv"
)

// The limits of a reply. The client allocates lists of whatever length the server
// announces, and parses nested lists recursively, so guard checks both before the client
// sees them.
const (
	mostBytes = 64 << 20
	mostItems = 1_000_000
	mostDepth = 32
	mostLine  = 64 << 10 // of a line that is not the content of a bulk string
)

var errTooLarge = errors.New("the answer is too large")

// guard reads a server's replies along with the client, and fails when one exceeds a limit.
// It parses only the headers of bulk strings and arrays.
type guard struct {
	net.Conn

	left  int // bytes that the reply may still have
	skip  int // bytes of the current bulk string that are still to come, with its CRLF
	line  []byte
	open  []int // for each open array, the number of items still to come
	items int
}

// renew resets the limits. It is called before each command.
func (g *guard) renew() {
	g.left, g.items, g.skip, g.line, g.open = mostBytes, 0, 0, g.line[:0], g.open[:0]
}

// Read implements net.Conn.
func (g *guard) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	if g.left -= n; g.left < 0 {
		return 0, errTooLarge
	}
	if wrong := g.follow(p[:n]); wrong != nil {
		return 0, wrong
	}
	return n, err
}

func (g *guard) follow(p []byte) error {
	for len(p) > 0 {
		if g.skip > 0 {
			n := min(g.skip, len(p))
			p, g.skip = p[n:], g.skip-n
			continue
		}
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			g.line = append(g.line, p...)
			end = len(p) - 1
		} else {
			g.line = append(g.line, p[:end+1]...)
		}
		p = p[end+1:]
		if len(g.line) > mostLine {
			return errTooLarge
		}
		if !bytes.HasSuffix(g.line, []byte{'\n'}) {
			return nil
		}
		if err := g.begin(bytes.TrimRight(g.line, "\r\n")); err != nil {
			return err
		}
		g.line = g.line[:0]
	}
	return nil
}

// begin handles a complete protocol line. It counts the line as an item of the innermost
// open array, and records the length of the bulk string or array that the line announces.
func (g *guard) begin(line []byte) error {
	for len(g.open) > 0 && g.open[len(g.open)-1] == 0 {
		g.open = g.open[:len(g.open)-1]
	}
	if len(g.open) > 0 {
		g.open[len(g.open)-1]--
	}
	if len(line) == 0 || line[0] != '$' && line[0] != '*' {
		return nil
	}
	n, err := strconv.Atoi(string(line[1:]))
	switch {
	case errors.Is(err, strconv.ErrRange): // the client's own parser would overflow
		return errTooLarge
	case err != nil || n < 0:
		return nil // the client reports the error; -1 is null
	case line[0] == '$':
		g.skip = n + 2
		return within(n, mostBytes)
	}
	g.items += n
	g.open = append(g.open, n)
	return errors.Join(within(g.items, mostItems), within(len(g.open), mostDepth))
}

func within(n, most int) error {
	if n > most {
		return errTooLarge
	}
	return nil
}

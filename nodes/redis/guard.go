package redis

import (
	"bytes"
	"errors"
	"net"
	"strconv"
)

// The bounds of an answer. The client makes a list as large as a server says that it is, and
// follows lists in lists with its own stack, so both are looked at before it reads them.
const (
	mostBytes = 64 << 20
	mostItems = 1_000_000
	mostDepth = 32
	mostLine  = 64 << 10 // of what is no bulk of bytes
)

var errTooLarge = errors.New("the answer is too large")

// guard reads along with the client what a server sends, and ends where it goes past a bound.
// It understands no more of the protocol than where things begin.
type guard struct {
	net.Conn

	left  int // bytes that the answer may still have
	skip  int // bytes of a bulk that is under way, its end of line included
	line  []byte
	open  []int // for each list that is under way, the items that are to come
	items int
}

// renew is called before each command.
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

// begin sees what the line of something says that is to come.
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
	case errors.Is(err, strconv.ErrRange): // the client would count past the end of its numbers
		return errTooLarge
	case err != nil || n < 0:
		return nil // of which the client says what is wrong; -1 is null
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

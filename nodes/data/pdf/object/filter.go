package object

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
)

// maxDecoded is how large the data of a stream may be. Small files can unpack to very much.
const maxDecoded = 96 << 20

// ErrTooMuch means that a stream is larger than can be read.
var ErrTooMuch = fmt.Errorf("a stream unpacks to more than %d bytes", maxDecoded)

// Decode returns the data of a stream. If it is damaged, it returns what could be decoded
// and an error.
func (f *File) Decode(s *Stream) ([]byte, error) {
	data := s.raw
	var damage error
	if s.key != nil {
		data, damage = s.key.decrypt(data)
	}
	filters, params := f.list(s.Dict, "Filter", "F"), f.list(s.Dict, "DecodeParms", "DP")
	for i, filter := range filters {
		var param Dict
		if i < len(params) {
			param, _ = f.Resolve(params[i]).(Dict)
		}
		name, _ := f.Resolve(filter).(Name)
		out, err := f.unpack(name, param, data)
		if len(out) > maxDecoded || errors.Is(err, ErrTooMuch) {
			return nil, ErrTooMuch
		}
		if data = out; err != nil && damage == nil {
			damage = err
		}
	}
	return data, damage
}

// list returns an entry of a dictionary that is an object or a list of them.
func (f *File) list(d Dict, name, short Name) Array {
	v := f.Resolve(d[name])
	if v == nil {
		v = f.Resolve(d[short])
	}
	switch v := v.(type) {
	case nil:
		return nil
	case Array:
		return v
	default:
		return Array{v}
	}
}

func (f *File) unpack(filter Name, param Dict, data []byte) ([]byte, error) {
	switch filter {
	case "FlateDecode", "Fl":
		out, err := inflate(data)
		return f.predicted(out, param, err)
	case "LZWDecode", "LZW":
		early := 1
		if v := f.Resolve(param["EarlyChange"]); v != nil {
			early = Int(v)
		}
		out, err := unLZW(data, early)
		return f.predicted(out, param, err)
	case "ASCIIHexDecode", "AHx":
		l := &Lexer{data: data}
		return []byte(l.hex()), nil
	case "ASCII85Decode", "A85":
		return ascii85(data), nil
	case "RunLengthDecode", "RL":
		return runs(data)
	case "Crypt":
		return data, nil
	}
	return nil, fmt.Errorf("the filter %q is not known", filter)
}

// inflate unpacks zlib data. The checksum is not compared, and a wrong header is ignored, as
// other readers do.
func inflate(data []byte) ([]byte, error) {
	for len(data) > 0 && white(data[0]) {
		data = data[1:] // a line end too many after the word stream
	}
	if len(data) < 2 {
		return nil, errors.New("the compressed data is missing")
	}
	body := data
	if data[0]&0x0f == 8 && (int(data[0])<<8|int(data[1]))%31 == 0 {
		body = data[2:]
	}
	out, err := inflateRaw(body)
	if err != nil && len(out) == 0 && len(body) == len(data) {
		out, err = inflateRaw(data[2:])
	}
	return out, err
}

func inflateRaw(data []byte) ([]byte, error) {
	var out bytes.Buffer
	_, err := io.Copy(&out, io.LimitReader(flate.NewReader(bytes.NewReader(data)), maxDecoded+1))
	if out.Len() > maxDecoded {
		return nil, ErrTooMuch
	}
	if err != nil {
		return out.Bytes(), errors.New("the compressed data is damaged")
	}
	return out.Bytes(), nil
}

// unLZW unpacks LZW data (ISO 32000, 7.4.4). early is 1 if codes get longer one code early.
func unLZW(data []byte, early int) ([]byte, error) {
	const clear, eod = 256, 257
	var out []byte
	var table [4096]struct{ start, length int } // each code is a part of the output
	next, width, previous := 258, 9, -1
	bits, held := 0, 0
	for _, b := range data {
		bits, held = bits<<8|int(b), held+8
		if held < width {
			continue
		}
		code := bits >> (held - width) & (1<<width - 1)
		held -= width
		bits &= 1<<held - 1
		switch {
		case code == eod:
			return out, nil
		case code == clear:
			next, width, previous = 258, 9, -1
			continue
		case code > next || code >= 258 && code == next && previous < 0:
			return out, errors.New("the LZW data is damaged")
		}
		start := len(out)
		switch {
		case code < 256:
			out = append(out, byte(code))
		case code < next:
			t := table[code]
			out = append(out, out[t.start:t.start+t.length]...)
		default: // the code that is made by this step
			out = append(out, out[previous:start]...)
			out = append(out, out[previous])
		}
		if previous >= 0 && next < len(table) {
			table[next] = struct{ start, length int }{previous, start - previous + 1}
			next++
		}
		previous = start
		if next+early >= 1<<width && width < 12 {
			width++
		}
		if len(out) > maxDecoded {
			return nil, ErrTooMuch
		}
	}
	return out, nil
}

func ascii85(data []byte) []byte {
	var out []byte
	var group [5]byte
	n := 0
	flush := func(digits int) {
		for i := digits; i < 5; i++ {
			group[i] = 84
		}
		v := uint32(0)
		for _, d := range group {
			v = v*85 + uint32(d)
		}
		for i := range digits - 1 {
			out = append(out, byte(v>>(24-8*i)))
		}
	}
	for _, c := range data {
		switch {
		case c == '~':
			data = nil
		case c == 'z' && n == 0:
			out = append(out, 0, 0, 0, 0)
		case c >= '!' && c <= 'u':
			group[n] = c - '!'
			if n++; n == 5 {
				flush(5)
				n = 0
			}
		}
		if data == nil {
			break
		}
	}
	if n > 1 {
		flush(n)
	}
	return out
}

func runs(data []byte) ([]byte, error) {
	var out []byte
	for i := 0; i < len(data) && data[i] != 128; {
		n := int(data[i])
		if n < 128 {
			last := min(i+2+n, len(data))
			out = append(out, data[i+1:last]...)
			i += n + 2
			continue
		}
		if i+1 < len(data) {
			out = append(out, bytes.Repeat(data[i+1:i+2], 257-n)...)
		}
		i += 2
		if len(out) > maxDecoded {
			return nil, ErrTooMuch
		}
	}
	return out, nil
}

// predicted undoes the predictor of Flate and LZW (ISO 32000, 7.4.4.4).
func (f *File) predicted(data []byte, param Dict, err error) ([]byte, error) {
	number := func(name Name, usual int) int {
		if v := f.Resolve(param[name]); v != nil {
			return Int(v)
		}
		return usual
	}
	predictor := number("Predictor", 1)
	colors, bits, columns := number("Colors", 1), number("BitsPerComponent", 8), number("Columns", 1)
	if predictor <= 1 || colors < 1 || colors > 32 || bits < 1 || bits > 16 || columns < 1 || columns > maxDecoded/64 {
		return data, err
	}
	size, row := max(1, colors*bits/8), (colors*bits*columns+7)/8
	if predictor == 2 {
		if bits == 8 {
			for at := 0; at+row <= len(data); at += row {
				for i := size; i < row; i++ {
					data[at+i] += data[at+i-size]
				}
			}
		}
		return data, err
	}
	return unPNG(data, row, size), err
}

// unPNG undoes the filters of PNG, in place. The last row may be incomplete.
func unPNG(data []byte, row, size int) []byte {
	above, out := make([]byte, row), data[:0]
	for len(data) > 1 {
		kind, line := data[0], data[1:min(1+row, len(data))]
		data = data[1+len(line):]
		for i := range line {
			var left, corner byte
			if i >= size {
				left, corner = line[i-size], above[i-size]
			}
			switch kind {
			case 1:
				line[i] += left
			case 2:
				line[i] += above[i]
			case 3:
				line[i] += byte((int(left) + int(above[i])) / 2)
			case 4:
				line[i] += paeth(left, above[i], corner)
			}
		}
		// The row that goes out stands before the one that is read: nothing is overwritten.
		copy(above, line)
		out = append(out, line...)
	}
	return out
}

func paeth(a, b, c byte) byte {
	p := int(a) + int(b) - int(c)
	pa, pb, pc := abs(p-int(a)), abs(p-int(b)), abs(p-int(c))
	switch {
	case pa <= pb && pa <= pc:
		return a
	case pb <= pc:
		return b
	}
	return c
}

func abs(n int) int { return max(n, -n) }

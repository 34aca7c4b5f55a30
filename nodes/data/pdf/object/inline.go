package object

import "bytes"

// SkipImage passes the data of an inline image, after the operator BI. The data may hold
// any bytes, EI among them, so its length is computed where the image has no filter.
func (l *Lexer) SkipImage() {
	d := Dict{}
	for {
		t := l.token()
		if t == Operator("ID") || t == (end{}) {
			break
		}
		if t == Operator("EI") {
			return // an image without data
		}
		if name, is := t.(Name); is {
			before := l.pos
			value := l.object(0)
			if op, is := value.(Operator); is && (op == "ID" || op == "EI") {
				l.pos = before
				continue
			}
			d[name] = value
		}
	}
	if l.pos < len(l.data) && white(l.data[l.pos]) {
		l.pos++
	}
	l.pos += min(inlineLength(d, l.data[min(l.pos, len(l.data)):]), len(l.data)-l.pos)
	for l.pos < len(l.data) {
		at := bytes.Index(l.data[l.pos:], []byte("EI"))
		if at < 0 {
			l.pos = len(l.data)
			return
		}
		before := at == 0 || white(l.data[l.pos+at-1]) || l.data[l.pos+at-1] == '>'
		l.pos += at + 2
		if before && (l.pos == len(l.data) || !regular(l.data[l.pos])) && readable(l.data[l.pos:]) {
			return
		}
	}
}

// inlineLength returns the least length of the data of an inline image.
func inlineLength(d Dict, data []byte) int {
	either := func(short, long Name) any {
		if v, has := d[short]; has {
			return v
		}
		return d[long]
	}
	filter := either("F", "Filter")
	if list, is := filter.(Array); is && len(list) > 0 {
		filter = list[0]
	}
	switch filter {
	case Name("A85"), Name("ASCII85Decode"):
		return bytes.Index(data, []byte("~>")) + 2
	case Name("AHx"), Name("ASCIIHexDecode"):
		return bytes.IndexByte(data, '>') + 1
	case nil:
	default:
		return 0
	}
	width, height, bits := Int(either("W", "Width")), Int(either("H", "Height")), Int(either("BPC", "BitsPerComponent"))
	parts := 1
	switch either("CS", "ColorSpace") {
	case Name("RGB"), Name("DeviceRGB"):
		parts = 3
	case Name("CMYK"), Name("DeviceCMYK"):
		parts = 4
	}
	if mask, _ := either("IM", "ImageMask").(bool); mask {
		bits = 1
	}
	if width < 0 || height < 0 || bits < 0 || width > len(data)*8 || height > len(data)+1 || bits > 16 {
		return 0
	}
	return min((width*bits*parts+7)/8*height, len(data))
}

// readable reports whether the next bytes look like operators, and not like the data of an
// image.
func readable(data []byte) bool {
	for _, c := range data[:min(len(data), 12)] {
		if c >= 0x7f || c < ' ' && !white(c) {
			return false
		}
	}
	return true
}

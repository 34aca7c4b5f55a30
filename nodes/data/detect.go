package data

import (
	"context"
	"io"
	"mime"

	"github.com/gabriel-vasile/mimetype"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/reading"
)

type detectIn struct {
	reading.Binary
}

type detectOut struct {
	MIME     string  `port:"mime" doc:"What it is, for example image/png; application/octet-stream if that is not known."`
	Encoding *string `port:"encoding" doc:"Of a text, how it is encoded, for example utf-8."`
	Bytes    int     `port:"bytes" doc:"How many bytes there are."`
}

func (d disk) detectNode() node.Node {
	detect := func(ctx context.Context, in detectIn) (out detectOut, err error) {
		r, size, err := in.Open(ctx, d.Files)
		if err != nil {
			return out, err
		}
		defer r.Close()
		found, err := mimetype.DetectReader(io.LimitReader(r, detected))
		if err != nil {
			return out, reading.Failure(err)
		}
		kind, parameters, err := mime.ParseMediaType(found.String())
		if err != nil {
			kind = "application/octet-stream"
		}
		out = detectOut{MIME: kind, Bytes: int(size)}
		if encoding := parameters["charset"]; encoding != "" {
			out.Encoding = &encoding
		}
		return out, nil
	}
	return fromBytes(node.Func("data.detect", "What file is it", detect).
		Aliases("mime type, file type, detect format, content type", "dateityp, mime typ, format erkennen").
		Example(map[string]any{"base64": "iVBORw0KGgo="}).Doc(
		"Tells by its first bytes what a file is, whatever it is called: `image/png`, `application/pdf`, `text/csv`."))
}

// detected is how many bytes of a file are examined.
const detected = 1 << 20

package node

import (
	"encoding/base64"
	"unicode/utf8"
)

// Reply is an answer over HTTP.
type Reply struct {
	Status int
	// Header holds all values by name, as net/http writes names.
	Header map[string][]string
	Type   string // of the body
	Body   []byte
}

// ReplyOutput is the output of a node that holds its answer to the caller of a hook, as
// [Reply.Record] returns it. A caller that repeats its delivery gets the same answer.
const ReplyOutput = "answer"

// maxRecordedBody is how many bytes of a body are recorded.
const maxRecordedBody = 64 << 10

// Record returns the reply as a value, without a body over 64 KiB.
func (r Reply) Record() map[string]any {
	headers := make(map[string]any, len(r.Header))
	for name, values := range r.Header {
		list := make([]any, len(values))
		for i, v := range values {
			list[i] = v
		}
		headers[name] = list
	}
	record := map[string]any{"status": r.Status, "headers": headers, "type": r.Type}
	switch {
	case len(r.Body) == 0 || len(r.Body) > maxRecordedBody:
	case utf8.Valid(r.Body):
		record["body"] = string(r.Body)
	default:
		record["base64"] = base64.StdEncoding.EncodeToString(r.Body)
	}
	return record
}

// ReplyFrom reads a reply from what [Reply.Record] has returned.
func ReplyFrom(record map[string]any) (r Reply, ok bool) {
	status, isStatus := record["status"].(int)
	headers, isRecord := record["headers"].(map[string]any)
	if !isStatus || !isRecord {
		return Reply{}, false
	}
	r = Reply{Status: status, Header: make(map[string][]string, len(headers))}
	for name, values := range headers {
		list, _ := values.([]any)
		for _, v := range list {
			text, _ := v.(string)
			r.Header[name] = append(r.Header[name], text)
		}
	}
	r.Type, _ = record["type"].(string)
	if text, ok := record["body"].(string); ok {
		r.Body = []byte(text)
	} else if text, ok := record["base64"].(string); ok {
		var err error
		if r.Body, err = base64.StdEncoding.DecodeString(text); err != nil {
			return Reply{}, false
		}
	}
	return r, true
}

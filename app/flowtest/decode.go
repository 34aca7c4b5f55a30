package flowtest

import (
	"encoding/base64"
	"net/http"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/value"
)

// DecodePin reads what a node answers: {"outputs":{…}} or {"error":{"code":…,"message":…}}.
func DecodePin(text []byte) (pin engine.Pin, err error) {
	err = value.Read(text, func(r *value.Reader) error {
		pin, err = readPin(r)
		return err
	})
	return pin, err
}

// readPins reads pins by the paths of nodes.
func readPins(r *value.Reader) (map[string]engine.Pin, error) {
	record, err := r.Record()
	if err != nil {
		return nil, err
	}
	pins := make(map[string]engine.Pin, len(record))
	for path, v := range record {
		pin, err := DecodePin(value.Append(nil, v))
		if err != nil {
			return nil, r.Errorf("the pin of %q: %v", path, err)
		}
		pins[path] = pin
	}
	return pins, nil
}

func readPin(r *value.Reader) (pin engine.Pin, err error) {
	err = r.Object(0, []string{"outputs", "error"}, func(name string) (err error) {
		if name == "outputs" {
			pin.Outputs, err = r.Record()
			return err
		}
		pin.Error = &engine.Failure{}
		return r.Object(1, []string{"code", "message"}, func(name string) (err error) {
			if name == "code" {
				pin.Error.Code, err = filled(r, "the code")
				return err
			}
			pin.Error.Message, err = r.Text()
			return err
		})
	})
	return pin, err
}

func (x *Exchange) read(r *value.Reader) error {
	return r.Object(2, []string{"request", "response", "times"}, func(name string) (err error) {
		switch name {
		case "request":
			err = x.Request.read(r)
		case "response":
			err = x.Response.read(r)
		case "times":
			x.Times, err = r.Int(1, maxTimes)
		}
		return err
	})
}

func (q *Request) read(r *value.Reader) error {
	return r.Object(1, []string{"url", "method", "headers", "body"}, func(name string) (err error) {
		switch name {
		case "url":
			if q.URL, err = filled(r, "the URL"); err == nil {
				_, err = pattern(q.URL)
			}
		case "method":
			q.Method, err = filled(r, "the method")
		case "headers":
			q.Headers, err = readHeaders(r)
		case "body":
			q.Body, err = r.Value()
		}
		return err
	})
}

func (a *Response) read(r *value.Reader) error {
	return r.Object(0, []string{"status", "headers", "body", "base64"}, func(name string) (err error) {
		switch name {
		case "status":
			a.Status, err = r.Int(http.StatusOK, 599)
		case "headers":
			a.Headers, err = readHeaders(r)
		case "body":
			a.Body, err = r.Value()
		case "base64":
			if a.Base64, err = r.Text(); err == nil {
				if _, wrong := base64.StdEncoding.DecodeString(a.Base64); wrong != nil {
					err = r.Errorf("this is no base64: %v", wrong)
				}
			}
		}
		return err
	})
}

// readHeaders reads headers by name.
func readHeaders(r *value.Reader) (map[string]string, error) {
	record, err := r.Record()
	if err != nil {
		return nil, err
	}
	headers := make(map[string]string, len(record))
	for name, v := range record {
		text, ok := v.(string)
		if !ok {
			return nil, r.Errorf("the header %q is no text", name)
		}
		headers[name] = text
	}
	return headers, nil
}

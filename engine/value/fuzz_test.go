package value_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
)

// encoding/json is the second opinion on what is JSON. It knows nothing of
// duplicate keys and replaces what is not UTF-8, as DecodeLenient does.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		`{"a":[1,-0,1.5,1e3,"x\u00e9\n",null,true]}`, `{"a":1,"a":2}`, `"\ud800"`, "\"\xff\"", `[[[[]]]]`, `9223372036854775808`,
		`1e999`, ` 1 `, `01`, `{"a":{"b":1},"a":{"c":2}}`, `["ab","ba","a\"b"]`, "{\"\xff\":1,\"\xfe\":2}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		strict, strictErr := value.Decode(text)
		lenient, lenientErr := value.DecodeLenient(text)
		require.Equal(t, before, text, "the text is only read")
		for _, err := range []error{strictErr, lenientErr} {
			requirePlace(t, err, len(text))
		}
		if lenientErr != nil && strings.Contains(lenientErr.Error(), "nested deeper") {
			return // encoding/json has another limit
		}
		reference, referenceErr := decodeReference(text)
		require.Equal(t, referenceErr == nil, lenientErr == nil, "reference: %v, lenient: %v", referenceErr, lenientErr)
		if lenientErr != nil {
			require.Error(t, strictErr)
			return
		}
		require.NoError(t, value.Check(lenient))
		if strictErr == nil {
			require.Equal(t, lenient, strict)
		}
		printed := value.Append(nil, lenient)
		again, err := value.Decode(printed)
		require.NoError(t, err, "what is printed is strict JSON")
		require.Equal(t, string(printed), string(value.Append(nil, again)))
		require.JSONEq(t, string(reference), string(printed))
		indented, err := value.Decode(value.Indent(nil, lenient))
		require.NoError(t, err)
		require.Equal(t, again, indented)
	})
}

func requirePlace(t *testing.T, err error, size int) {
	if err == nil {
		return
	}
	var e *value.SyntaxError
	require.ErrorAs(t, err, &e)
	require.GreaterOrEqual(t, e.Offset, int64(0))
	require.LessOrEqual(t, e.Offset, int64(size))
	require.NotEmpty(t, e.Reason)
}

// decodeReference reads text with encoding/json and prints it again.
func decodeReference(text []byte) ([]byte, error) {
	var v any
	dec := json.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, io.ErrUnexpectedEOF
	}
	return json.Marshal(v)
}

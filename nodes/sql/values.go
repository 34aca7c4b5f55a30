package sqlnode

import (
	"database/sql"
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// args returns the values of a statement's parameters, from a record. See [session.bind].
func (st *statement) args(params map[string]any) ([]any, error) {
	list := make([]any, len(st.names))
	for i, name := range st.names {
		v, given := params[name]
		if !given {
			return nil, node.Permanent(node.Errorf(node.CodeInvalidInput, "params has no %s, which the statement needs; write null if it is to be none", name))
		}
		list[i] = v
	}
	return list, nil
}

// argument returns v as drivers take it. Lists and records are stored as JSON.
func argument(v any) any {
	switch v := v.(type) {
	case nil, bool, float64, string:
		return v
	case int:
		return int64(v)
	case value.Credential:
		return string(v)
	}
	return string(value.Encode(v))
}

// column converts a column of a result to values.
type column struct {
	name, typ string
}

func columnsOf(rows *sql.Rows) ([]column, error) {
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	columns := make([]column, len(types))
	for i, t := range types {
		columns[i] = column{t.Name(), strings.ToLower(t.DatabaseTypeName())}
		for _, other := range columns[:i] {
			if other.name == columns[i].name {
				return nil, node.Permanent(node.Errorf(codeSQLError, "two columns are called %s; name one of them anew with AS", other.name))
			}
		}
	}
	return columns, nil
}

// read converts a driver's value without loss.
func (c column) read(v any) any {
	switch v := v.(type) {
	case nil, bool, string:
		return c.text(v)
	case int64:
		return int(v)
	case uint64:
		if v <= math.MaxInt64 {
			return int(v)
		}
		return strconv.FormatUint(v, 10)
	case float32:
		return c.float(float64(v))
	case float64:
		return c.float(v)
	case time.Time:
		return c.time(v)
	case []byte:
		return c.bytes(v)
	case [16]byte:
		return fmt.Sprintf("%x-%x-%x-%x-%x", v[:4], v[4:6], v[6:8], v[8:10], v[10:])
	}
	return fmt.Sprint(v)
}

// text decodes JSON; every other text is itself.
func (c column) text(v any) any {
	s, isText := v.(string)
	if !isText {
		return v
	}
	if strings.HasPrefix(c.typ, "_") {
		if list, isArray := c.array(s); isArray {
			return list
		}
	}
	if c.typ == "json" || c.typ == "jsonb" {
		if decoded, err := value.DecodeText(s); err == nil {
			return decoded
		}
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// float returns finite numbers as they are, and others as text.
func (c column) float(f float64) any {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return f
}

func (c column) time(t time.Time) any {
	if c.typ == "date" {
		return t.Format(time.DateOnly)
	}
	if c.typ == "timestamp" { // of no zone
		return t.Format("2006-01-02T15:04:05.999999999")
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// bytes converts bytes: UTF-8 to text, all else to base64.
func (c column) bytes(b []byte) any {
	switch {
	case c.typ == "bit":
		n := 0
		for _, one := range b {
			n = n<<8 | int(one)
		}
		return n
	case strings.Contains(c.typ, "blob"), strings.Contains(c.typ, "binary"), c.typ == "bytea", c.typ == "geometry", c.typ == "", !utf8.Valid(b):
		return base64.StdEncoding.EncodeToString(b)
	case c.typ == "datetime", c.typ == "timestamp":
		return strings.Replace(string(b), " ", "T", 1)
	}
	return c.text(string(b))
}

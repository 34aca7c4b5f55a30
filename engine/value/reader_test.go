package value_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
)

type order struct {
	item   string
	count  int
	weight float64
	gift   bool
	tags   []string
	extra  map[string]any
	any    any
}

func readOrder(data string) (order, error) {
	var o order
	err := value.Read([]byte(data), func(r *value.Reader) error {
		return r.Object(1, []string{"item", "count", "weight", "gift", "tags", "extra", "any"}, func(field string) (err error) {
			switch field {
			case "item":
				o.item, err = r.Text()
			case "count":
				o.count, err = r.Int(1, 9)
			case "weight":
				o.weight, err = r.Float(0, 1.5)
			case "gift":
				o.gift, err = r.Bool()
			case "tags":
				err = r.List(func() error {
					tag, err := r.Text()
					o.tags = append(o.tags, tag)
					return err
				})
			case "extra":
				o.extra, err = r.Record()
			case "any":
				o.any, err = r.Value()
			}
			return err
		})
	})
	return o, err
}

func TestReader(t *testing.T) {
	o, err := readOrder(`{"any":null,"item":"a","count":9,"weight":1,"gift":true,"tags":["x","y"],"extra":{"a":[1]}}`)
	require.NoError(t, err)
	require.Equal(t, order{"a", 9, 1, true, []string{"x", "y"}, map[string]any{"a": []any{1}}, nil}, o)
}

func TestReaderErrors(t *testing.T) {
	for text, want := range map[string]string{
		``:                                    `offset 0, at "": the text is empty`,
		`{}`:                                  `offset 1, at "": the field "item" is missing`,
		`[]`:                                  `offset 0, at "": expected an object, got a list`,
		` null`:                               `offset 1, at "": expected an object, got null`,
		`{"item":"a"}x`:                       `offset 12, at "": invalid character 'x' at start of value`,
		`{"item":"a"} "x"`:                    `offset 13, at "": expected the end of the text, got a string`,
		`{"item":null}`:                       `offset 8, at "/item": expected a string, got null`,
		`{"item":}`:                           `offset 8, at "/item": missing value after object name`,
		`{"item": 1}`:                         `offset 9, at "/item": expected a string, got a number`,
		`{"item":"a","item":"a"}`:             `offset 12, at "/item": the name stands twice in its object`,
		`{"item":"a","Item":"a"}`:             `offset 12, at "/Item": unknown field; known are item, count, weight, gift, tags, extra, any`,
		`{"count":0}`:                         `offset 9, at "/count": expected a whole number from 1 to 9, written without fraction and exponent`,
		`{"count":1.0}`:                       `offset 9, at "/count": expected a whole number from 1 to 9, written without fraction and exponent`,
		`{"count":"1"}`:                       `offset 9, at "/count": expected a whole number, got a string`,
		`{"weight":1e999}`:                    `offset 10, at "/weight": expected a number from 0 to 1.5`,
		`{"weight":-1}`:                       `offset 10, at "/weight": expected a number from 0 to 1.5`,
		`{"weight":false}`:                    `offset 10, at "/weight": expected a number, got false`,
		`{"gift":1}`:                          `offset 8, at "/gift": expected true or false, got a number`,
		`{"tags":{}}`:                         `offset 8, at "/tags": expected a list, got an object`,
		`{"tags":["x",true]}`:                 `offset 13, at "/tags/1": expected a string, got true`,
		`{"extra":[]}`:                        `offset 9, at "/extra": expected an object, got a list`,
		`{"extra":{"a":{"b":1,"b":2}}}`:       `offset 21, at "/extra/a/b": the name stands twice in its object`,
		`{"any":` + strings.Repeat("[", 1000): `offset 1006, at "/any` + strings.Repeat("/0", 254) + `": lists and objects are nested deeper than 1000`,
	} {
		_, err := readOrder(text)
		require.EqualError(t, err, want, text)
	}
}

// After an error in the middle of a text the next reader starts clean.
func TestReaderAfterAnError(t *testing.T) {
	for range 10 {
		_, err := value.Decode([]byte(`[1,2,{"a":"b","c":[3,x`))
		require.Error(t, err)
		v, err := value.Decode([]byte(`{"k":[1]}`))
		require.NoError(t, err)
		require.Equal(t, map[string]any{"k": []any{1}}, v)
	}
}

// Text can make values that take very many times as much memory: those are refused, by
// where documents are read and not where a value is taken for what it is.
func TestReadBoundsMemory(t *testing.T) {
	read := func(text string) error {
		return value.Read([]byte(text), func(r *value.Reader) error {
			_, err := r.Value()
			return err
		})
	}
	many := func(item string, n int) string { return "[" + item + strings.Repeat(","+item, n-1) + "]" }
	for item, n := range map[string]int{`{"a":1}`: 700_000, `[[]]`: 2_500_000} {
		err := read(many(item, n))
		require.ErrorIs(t, err, value.ErrTooBig, item)
		require.ErrorAs(t, err, new(*value.SyntaxError))
		require.NoError(t, read(many(item, n/4)), item)
	}
	list, err := value.Decode([]byte(many("7", 100_001)))
	require.NoError(t, err)
	require.Len(t, list, 100_001)
	require.Equal(t, 7, list.([]any)[100_000])
	big, err := value.Decode([]byte(many(`{}`, 700_000)))
	require.NoError(t, err)
	require.Len(t, big, 700_000)
}

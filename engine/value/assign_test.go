package value_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
)

// matrix has one sign per cell, rows into columns:
// = fits, > converts, ~ is checked at run time, . is a misfit.
// Column 1 is any, column 2 string, and so on in the order of the rows.
const matrix = `
any                      = ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~
string                   = = = . . . . . ~ . . . . ~ ~ ~ . . . . . . . . . . .
string?                  = ~ = . . . . . ~ . . . . ~ ~ ~ . . . . . . . . . . .
int                      = . . = = > > . . . . . . . . . . . . . . . . . . . .
int?                     = . . ~ = ~ > . . . . . . . . . . . . . . . . . . . .
float                    = . . . . = = . . . . . . . . . . . . . . . . . . . .
float?                   = . . . . ~ = . . . . . . . . . . . . . . . . . . . .
bool                     = . . . . . . = . . . . . . . . . . . . . . . . . . .
credential               = . . . . . . . = . . . . . . . . . . . . . . . . . .
media                    = . . . . . . . . = ~ ~ ~ . . . . . . . . . . . . . .
media(video)             = . . . . . . . . = = = . . . . . . . . . . . . . . .
media(image|video)       = . . . . . . . . = ~ = . . . . . . . . . . . . . . .
media(audio)             = . . . . . . . . = . . = . . . . . . . . . . . . . .
enum(a|b)                = = = . . . . . . . . . . = = . . . . . . . . . . . .
enum(a|b)?               = ~ = . . . . . . . . . . ~ = . . . . . . . . . . . .
enum(a)                  = = = . . . . . . . . . . = = = . . . . . . . . . . .
list<int>                = . . . . . . . . . . . . . . . = > = = = . . . . . .
list<float>              = . . . . . . . . . . . . . . . . = = . . . . . . . .
list<any>                = . . . . . . . . . . . . . . . ~ ~ = ~ ~ . . . . . .
list<int?>               = . . . . . . . . . . . . . . . ~ ~ = = ~ . . . . . .
list<int>?               = . . . . . . . . . . . . . . . ~ ~ ~ ~ = . . . . . .
record                   = . . . . . . . . . . . . . . . . . . . . = ~ ~ ~ ~ ~
record{id:string}        = . . . . . . . . . . . . . . . . . . . . = = = ~ . ~
record{id:string?}       = . . . . . . . . . . . . . . . . . . . . = ~ = ~ . ~
record{id:string,n:int?} = . . . . . . . . . . . . . . . . . . . . = = = = ~ ~
record{id:string,n:int}  = . . . . . . . . . . . . . . . . . . . . = = = = = ~
record{id:enum(a)}       = . . . . . . . . . . . . . . . . . . . . = = = ~ . =
`

// table returns the types of the matrix and the cell of each pair.
func table() (types []value.Type, cells [][]string) {
	for row := range strings.Lines(strings.TrimSpace(matrix)) {
		fields := strings.Fields(row)
		types, cells = append(types, value.MustType(fields[0])), append(cells, fields[1:])
	}
	return types, cells
}

func TestAssignTable(t *testing.T) {
	types, cells := table()
	signs := map[string]value.Fit{"=": value.Fits, ">": value.Converts, "~": value.Checked, ".": value.Misfit}
	for i, source := range types {
		require.Len(t, cells[i], len(types))
		for j, target := range types {
			require.Equal(t, signs[cells[i][j]], value.Assign(source, target), "%s into %s", source, target)
		}
	}
}

// A value of the source type must do in the target what the table promises.
func TestAssignKeepsItsPromise(t *testing.T) {
	types, _ := table()
	for _, source := range types {
		for _, target := range types {
			fit := value.Assign(source, target)
			for _, v := range samples() {
				if c, err := value.Conform(v, source); err != nil || !same(c, v) || v == nil {
					continue // v is no value of source
				}
				c, err := value.Conform(v, target)
				switch fit {
				case value.Fits:
					require.NoError(t, err, "%v: %s into %s", v, source, target)
					require.True(t, same(c, v), "%v changed: %s into %s", v, source, target)
				case value.Converts:
					require.NoError(t, err, "%v: %s into %s", v, source, target)
				}
			}
		}
	}
}

func samples() []any {
	id := func(v any) map[string]any { return map[string]any{"id": v} }
	return []any{
		nil, true, 0, 7, math.MaxInt, 0.5, 3.0, math.Copysign(0, -1), "", "a", "b", "c", "pronet:main", value.Credential("pronet:main"),
		value.Media{Kind: "image", MIME: "image/png", Path: "a.png"},
		value.Media{Kind: "video", MIME: "video/mp4", Recipe: `{"steps":[]}`},
		[]any{},
		[]any{1},
		[]any{1, nil},
		[]any{1.5},
		[]any{"a", []any{}},
		[]any{[]any{1}},
		map[string]any{},
		id("a"), id("x"), id(nil), id(1),
		map[string]any{"id": "a", "n": 1},
		map[string]any{"id": "a", "n": "width"},
		map[string]any{"id": "a", "n": nil},
		map[string]any{"kind": "image", "mime": "image/png", "url": "https://example.com/a.png"},
	}
}

// same reports whether a and b are the same value, of the same Go types.
func same(a, b any) bool {
	return value.KindOf(a) == value.KindOf(b) && string(value.Append(nil, a)) == string(value.Append(nil, b))
}

func TestFitString(t *testing.T) {
	require.Equal(t, "misfit checked converts fits", strings.Join([]string{
		value.Misfit.String(), value.Checked.String(), value.Converts.String(), value.Fits.String(),
	}, " "))
}

// A record of many fields is matched in time that grows with their number, not
// with its square, and by the same rules as one of few.
func TestAssignWideRecords(t *testing.T) {
	const wide = 20_000
	var source, target []value.Field
	for i := range wide {
		source = append(source, value.Field{Name: fmt.Sprint("f", i), Type: value.Int()})
		target = append(target, value.Field{Name: fmt.Sprint("f", wide-1-i), Type: value.Int()})
	}
	require.Equal(t, value.Fits, value.Assign(value.RecordOf(source...), value.RecordOf(target...)))
	target[7].Type = value.Float()
	require.Equal(t, value.Converts, value.Assign(value.RecordOf(source...), value.RecordOf(target...)))
	target[8] = value.Field{Name: "other", Type: value.Int().OrNull()}
	require.Equal(t, value.Checked, value.Assign(value.RecordOf(source...), value.RecordOf(target...)))
	target[9] = value.Field{Name: "none", Type: value.Int()}
	require.Equal(t, value.Misfit, value.Assign(value.RecordOf(source...), value.RecordOf(target...)))
}

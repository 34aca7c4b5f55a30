package value_test

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
)

// wideEnum returns enum members, ascending and descending.
func wideEnum(n int) (up, down []string) {
	for i := range n {
		up, down = append(up, fmt.Sprint("m", i)), append(down, fmt.Sprint("m", n-1-i))
	}
	return up, down
}

// wideRecord returns a record of optional fields, f0 to fn.
func wideRecord(n int, typ value.Type) value.Type {
	fields := make([]value.Field, n)
	for i := range fields {
		fields[i] = value.Field{Name: fmt.Sprint("f", i), Type: typ}
	}
	return value.RecordOf(fields...)
}

// What is ten times as wide takes ten times the steps, and two types of different widths
// take those of the smaller one.
func TestComparisonIsLinear(t *testing.T) {
	steps := func(source, target value.Type, want value.Fit) (n int) {
		c := value.Comparison{Step: func() bool { n++; return true }}
		require.Equal(t, want, c.Assign(source, target))
		return n
	}
	enums := func(n int) int {
		up, down := wideEnum(n)
		return steps(value.EnumOf(up...), value.EnumOf(down...), value.Fits)
	}
	require.LessOrEqual(t, enums(20_000), 11*enums(2_000))
	small, wide := wideRecord(3, value.Int().OrNull()), wideRecord(20_000, value.Int().OrNull())
	require.LessOrEqual(t, steps(wide, wide, value.Fits), 20_000)
	require.LessOrEqual(t, steps(small, wide, value.Checked), 3)
	require.LessOrEqual(t, steps(wide, small, value.Fits), 3)
	require.LessOrEqual(t, steps(small, wideRecord(20_000, value.Int()), value.Misfit), 3)
	var asked int
	c := value.Comparison{Step: func() bool { asked++; return asked < 10 }}
	require.Equal(t, value.Misfit, c.Assign(wide, wide))
	require.Equal(t, 10, asked)
}

// Wide types follow the rules of small ones.
func TestWideRecordsConform(t *testing.T) {
	fields := []value.Field{{Name: "need", Type: value.Float()}}
	for i := range 30 {
		fields = append(fields, value.Field{Name: fmt.Sprint("f", i), Type: value.Int().OrNull()})
	}
	typ := value.RecordOf(fields...)
	got, err := value.Conform(map[string]any{"need": 1, "f7": nil, "f9": 3.0, "more": "x"}, typ)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"need": 1.0, "f7": nil, "f9": 3, "more": "x"}, got)
	_, err = value.Conform(map[string]any{"f7": 1}, typ)
	require.EqualError(t, err, `field "need" is missing`)
	_, err = value.Conform(map[string]any{"need": 1.0, "f9": "x", "f3": true}, typ)
	require.EqualError(t, err, `field "f3": expected int?, got bool`)
	require.Len(t, typ.FieldsOf(map[string]any{"f1": 1, "other": 2}), 2)
	require.Equal(t, value.Fits, value.Assign(value.RecordOf(fields...), typ))
	require.Equal(t, value.Checked, value.Assign(value.RecordOf(fields[:20]...), typ))
	require.Equal(t, value.Misfit, value.Assign(value.RecordOf(fields[1:20]...), typ))
}

// A type has as many types in it as it has fields, and a list as many records as it likes:
// neither may cost much more than its text.
func TestWideRecordsTakeLittle(t *testing.T) {
	require.LessOrEqual(t, int(reflect.TypeFor[value.Field]().Size()), 2*int(reflect.TypeFor[string]().Size()))
	typ, record := wideRecord(100, value.Int().OrNull()), map[string]any{"f1": 1, "f2": 2, "other": 3}
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { typ.FieldsOf(record) }), 1.0)
}

// To read a wide type takes little more than what becomes of it: a type of a million fields is
// one request.
func TestWideTypesAreReadInLittle(t *testing.T) {
	const fields, most = 200_000, 224 // bytes for each, with its place
	text := wideRecord(fields, value.Int()).String()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	value.MustType(text)
	runtime.ReadMemStats(&after)
	require.Less(t, int(after.TotalAlloc-before.TotalAlloc), fields*most)
}

func TestBriefTypes(t *testing.T) {
	up, _ := wideEnum(100_000)
	for _, typ := range []value.Type{value.EnumOf(up...), value.ListOf(wideRecord(100_000, value.Int())), wideRecord(1, value.EnumOf(up...))} {
		text := typ.Brief()
		require.LessOrEqual(t, len(text), 200)
		require.True(t, strings.HasPrefix(typ.String(), strings.TrimSuffix(text, "…")))
		_, err := value.Conform(true, typ)
		require.Less(t, len(err.Error()), 300)
	}
	require.Equal(t, "list<int?>", value.MustType("list<int?>").Brief())
}

func TestShorten(t *testing.T) {
	require.Equal(t, "short", value.Shorten("short", 5))
	require.Equal(t, "beg…end", value.Shorten("beginning and end", 9))
	require.Equal(t, "é…é", value.Shorten("ééééé", 9), "no character is cut")
}

// BenchmarkConformWide holds a list to an enum, and records to a wide type.
func BenchmarkConformWide(b *testing.B) {
	up, down := wideEnum(20_000)
	list, records := make([]any, len(down)), make([]any, len(down))
	for i := range list {
		list[i], records[i] = down[i], map[string]any{"f0": i}
	}
	for name, c := range map[string]struct {
		v any
		t value.Type
	}{
		"enum":   {list, value.ListOf(value.EnumOf(up...))},
		"record": {records, value.ListOf(wideRecord(20_000, value.Int().OrNull()))},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, err := value.Conform(c.v, c.t)
				require.NoError(b, err)
			}
		})
	}
}

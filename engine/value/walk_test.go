package value_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
)

// pieceByPiece reads a text with a Reader, which decides by itself what is JSON.
func pieceByPiece(text []byte) (v any, err error) {
	err = value.Read(text, func(r *value.Reader) error {
		v, err = r.Value()
		return err
	})
	return v, err
}

// requireAsReader requires that Decode comes to the value, or to the error, of a Reader.
func requireAsReader(t *testing.T, text string) {
	t.Helper()
	want, wantErr := pieceByPiece([]byte(text))
	got, err := value.Decode([]byte(text))
	if wantErr != nil {
		require.EqualError(t, err, wantErr.Error(), "%.60q", text)
		return
	}
	require.NoError(t, err, "%.60q", text)
	require.Equal(t, want, got, "%.60q", text)
}

func TestDecodeIsAsStrictAsAReader(t *testing.T) {
	many := strings.Repeat("0,", 10_000)
	for _, text := range []string{
		``, ` `, `1`, ` -0 `, `01`, `1.`, `1e999`, `[1e999,x`, `[-1.5e-7,12345678901234567890,255,256]`, `tru`, `nul`, `truefalse`, `1 2`,
		`"a`, `"\"`, `"\\"`, `"\ud800"`, `"\u00e9\n"`, "\"\xff\"", `{`, `{"a"}`, `{"a":1,}`, `[1,]`, `[`, `{"a":{"a":[{"a":{}}]}}`,
		`{"a":1,"a":2}`, `[{"a":1,"b":2},{"a":1,"a":2}]`, `[{"a":1},{"b":1},{"a":1,"b":2},{},{"a\"":1},{"a\"":2},{"a":3}]`,
		`[{"a\\":1,"b":2},{"a\\":3,"b":4},{"a\\":"}"}]`, `[{"\u0061":1},{"a":2},{"\u0061":3,"a":4}]`, `{"\u0000":1}`, `[{"":1},{"":2}]`,
		`[` + many + `[` + many + `1],` + many + `1]`, strings.Repeat("[", value.MaxDepth) + strings.Repeat("]", value.MaxDepth),
		strings.Repeat("[", value.MaxDepth+1) + strings.Repeat("]", value.MaxDepth+1), strings.Repeat(`{"a":`, 1001) + "1" + strings.Repeat("}", 1001),
		strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), string(bigText()), " [ 1 , { \"a\" : [ ] , \"b\" : { } } ] \n",
	} {
		requireAsReader(t, text)
	}
}

func FuzzDecodeIsAsStrictAsAReader(f *testing.F) {
	for _, text := range []string{`[{"a":1,"b":"x"},{"a":2.5,"b":"\n"}]`, `{"a":[{"a\\":1},{"a\\":2,"a":3}],"a":0}`, `[-1e9,"\ud800",tru`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 1<<16 { // what a Reader may read takes no more memory than it may
			requireAsReader(t, text)
		}
	})
}

// Values that were read lie side by side, and each is itself.
func TestDecodedValuesAreApart(t *testing.T) {
	var want []any
	for i := range 2000 {
		want = append(want, i*1000, -i, float64(i)+0.5, fmt.Sprint("text ", i), []any{i}, map[string]any{"n": i, "s": fmt.Sprint(i)})
	}
	text := value.Encode(want)
	first, err := value.Decode(text)
	require.NoError(t, err)
	clear(text)
	for range 3 { // whose memory is taken from the same pools
		_, err = value.Decode(bigText())
		require.NoError(t, err)
	}
	require.Equal(t, want, first)
}

// A thousand records of seven fields take two memories each, and few more.
func TestDecodeAllocates(t *testing.T) {
	text := bigText()
	require.LessOrEqual(t, testing.AllocsPerRun(5, func() { _, _ = value.Decode(text) }), 2500.0)
}

// Lists of records, alike or not, print as each of them does.
func TestListsOfRecords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // as varied as it has to be
	for range 200 {
		var list []any
		var want strings.Builder
		for i := range r.IntN(12) {
			record := map[string]any{}
			for range r.IntN(2 + r.IntN(20)) {
				record[strings.Repeat("ké\""[:1+r.IntN(4)], r.IntN(3))+fmt.Sprint(r.IntN(9))] = []any{1.5, nil, "x\n", map[string]any{"b": 1, "a": 2}}[r.IntN(4)]
			}
			var item any = record
			if r.IntN(8) == 0 {
				item = i
			}
			list = append(list, item)
			fmt.Fprintf(&want, ",%s", value.Append(nil, item))
		}
		text := value.Append(nil, list)
		require.Equal(t, "["+strings.TrimPrefix(want.String(), ",")+"]", string(text))
		_, ok := value.AppendMax(nil, list, len(text)-1)
		require.False(t, ok)
		_, ok = value.AppendMax(nil, list, len(text))
		require.True(t, ok)
	}
	many := make([]any, 100)
	for i := range many {
		many[i] = map[string]any{"id": i, "name": "x", "price": 1.5}
	}
	dst := value.Append(nil, many)
	require.LessOrEqual(t, testing.AllocsPerRun(50, func() { value.Append(dst[:0], many) }), 10.0)
}

func TestPlainTexts(t *testing.T) {
	for at := range 20 {
		for c := range 256 {
			text := []byte(strings.Repeat("a", 20))
			text[at] = byte(c)
			want := `"` + string(text) + `"`
			switch {
			case c >= 0x80:
				want = strings.ToValidUTF8(want, "\ufffd")
			case c == '"' || c == '\\':
				want = `"` + string(text[:at]) + `\` + string(text[at:]) + `"`
			case c < ' ':
				continue
			}
			require.Equal(t, want, string(value.AppendText(nil, string(text))))
			again, err := value.Decode([]byte(want))
			require.NoError(t, err)
			require.Equal(t, strings.ToValidUTF8(string(text), "\ufffd"), again)
		}
	}
	for c := range ' ' {
		text := strings.Repeat("a", int(c)%10) + string(c) + "aaaaaaaa"
		require.Contains(t, string(value.AppendText(nil, text)), `\`)
	}
}

// What people deal with prints as every float does: as the shortest text that is read as it.
func TestDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // as varied as it has to be
	for i := range 20_000 {
		n := float64(r.Int64N(1 << (1 + i%60)))
		for _, f := range []float64{n, n / 10, n / 100, n / 1000, n / 10_000, n / 100_000, n * 1.1, math.Nextafter(n/100, 0), math.Float64frombits(r.Uint64())} {
			if math.IsNaN(f) || math.IsInf(f, 0) {
				continue
			}
			want, err := json.Marshal(-f)
			require.NoError(t, err)
			if got := string(value.Append(nil, -f)); string(want) != got {
				require.Equal(t, string(want), got)
			}
		}
	}
}

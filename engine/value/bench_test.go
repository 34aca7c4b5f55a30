package value_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
)

// bigText returns about 110 KB of JSON: a list of a thousand small records.
func bigText() []byte {
	var b strings.Builder
	b.WriteString(`{"meta":{"n":1000},"items":[`)
	for i := range 1000 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"name":"item-%04d","category":"%c","price":%d.%02d,"qty":%d,"active":%t,"note":"lorem ipsum x%d"}`,
			i, i, 'a'+i%5, i%97, 1+i%99, i%9, i%3 == 0, i)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

func BenchmarkDecode(b *testing.B) {
	text := bigText()
	for name, decode := range map[string]func([]byte) (any, error){
		"strict": value.Decode, "lenient": value.DecodeLenient, "encoding-json": func(text []byte) (v any, err error) {
			err = json.Unmarshal(text, &v)
			return v, err
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				_, err := decode(text)
				require.NoError(b, err)
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	v, err := value.Decode(bigText())
	require.NoError(b, err)
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		var dst []byte
		for b.Loop() {
			dst = value.Append(dst[:0], v)
		}
		b.SetBytes(int64(len(dst)))
	})
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			value.Encode(v)
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := json.Marshal(v)
			require.NoError(b, err)
		}
	})
}

func BenchmarkConform(b *testing.B) {
	v, err := value.Decode(bigText())
	require.NoError(b, err)
	typ := value.MustType("record{items:list<record{id:int,name:string,price:any,active:bool}>}")
	b.ReportAllocs()
	for b.Loop() {
		_, err := value.Conform(v, typ)
		require.NoError(b, err)
	}
}

func BenchmarkSize(b *testing.B) {
	v, err := value.Decode(bigText())
	require.NoError(b, err)
	for b.Loop() {
		value.Size(v, value.MaxSize)
	}
}

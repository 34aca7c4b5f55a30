package sqlnode

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTranslate(t *testing.T) {
	for _, tt := range []struct{ network, source, want, names string }{
		{"postgres", "SELECT :a, :b_2, :a", "SELECT $1, $2, $1", "a b_2"},
		{"mysql", "SELECT :a, :b_2, :a", "SELECT ?, ?, ?", "a b_2 a"},
		{"sqlite", "SELECT :a, :b_2, :a", "SELECT ?, ?, ?", "a b_2 a"},
		{"postgres", "SELECT x::int, :a::text, '::' || ':b', \":c\"", "SELECT x::int, $1::text, '::' || ':b', \":c\"", "a"},
		{"postgres", "SELECT 'it''s :a' , :b", "SELECT 'it''s :a' , $1", "b"},
		{"postgres", `SELECT 'a\', :b`, `SELECT 'a\', $1`, "b"},
		{"postgres", `SELECT E'a\' :a', e'\\', :b`, `SELECT E'a\' :a', e'\\', $1`, "b"},
		{"postgres", `SELECT type'a\', :b`, `SELECT type'a\', $1`, "b"},
		{"mysql", `SELECT 'a\' :a', "\" :a", :b`, `SELECT 'a\' :a', "\" :a", ?`, "b"},
		{"sqlite", `SELECT 'a\', :b`, `SELECT 'a\', ?`, "b"},
		{"postgres", "SELECT $$ :a $$, $x$ :a $$ $x$, $fn$:a$fn$ || :b", "SELECT $$ :a $$, $x$ :a $$ $x$, $fn$:a$fn$ || $1", "b"},
		{"postgres", "SELECT a$b$ :x, c$b$", "SELECT a$b$ $1, c$b$", "x"},
		{"postgres", "SELECT 1 -- :a ' \n + :b", "SELECT 1 -- :a ' \n + $1", "b"},
		{"mysql", "SELECT 1 --:a\n, 2 -- :b\n # :c '\n, :d", "SELECT 1 --?\n, 2 -- :b\n # :c '\n, ?", "a d"},
		{"postgres", "SELECT a #> :b # 'x'", "SELECT a #> $1 # 'x'", "b"},
		{"postgres", "/* /* :a */ :b */ :c", "/* /* :a */ :b */ $1", "c"},
		{"mysql", "/* /* :a */ :b", "/* /* :a */ ?", "b"},
		{"mysql", "SELECT `:a`, `a``:b`, :c", "SELECT `:a`, `a``:b`, ?", "c"},
		{"sqlite", "SELECT [:a], `:b`, :c", "SELECT [:a], `:b`, ?", "c"},
		{"postgres", "SELECT a[1:2], b ? 'x', b ?| :k, :é", "SELECT a[1:2], b ? 'x', b ?| $1, $2", "k é"},
		{"postgres", "SELECT '' :a '", "SELECT '' $1 '", "a"},
		{"mysql", "SELECT @v := 1, :a", "SELECT @v := 1, ?", "a"},
		{"postgres", "SELECT ':a", "SELECT ':a", ""},
		{"postgres", "/* :a", "/* :a", ""},
		{"postgres", "$x$ :a", "$x$ :a", ""},
		{"postgres", ":", ":", ""},
		{"postgres", "12:30 :1", "12:30 :1", ""},
	} {
		st, err := dialects()[tt.network].translate(tt.source)
		require.NoError(t, err, tt.source)
		require.Equal(t, tt.want, st.text, tt.source)
		require.Equal(t, tt.names, strings.Join(st.names, " "), tt.source)
	}
	for network, sources := range map[string][]string{
		"postgres": {"SELECT $1", "SELECT :a, $2"}, "mysql": {"SELECT ?"}, "sqlite": {"SELECT ?", "SELECT ?1", "SELECT @a", "SELECT $a"},
	} {
		for _, source := range sources {
			_, err := dialects()[network].translate(source)
			require.ErrorContains(t, err, "write :name", source)
		}
	}
}

func TestNames(t *testing.T) {
	d := dialects()
	require.Equal(t, `"sales"."or""ders; DROP TABLE x; --"`, d["postgres"].name(`sales.or"ders; DROP TABLE x; --`))
	require.Equal(t, "`a``b`", d["mysql"].part("a`b"))
}

// FuzzTranslate checks that everything but the names of placeholders is unchanged.
func FuzzTranslate(f *testing.F) {
	for _, s := range []string{"SELECT :a::int, 'x:y''', $$:z$$ -- :q\n", "`:a` \\' \":b\" #:c\n/*/*:d*/*/", "E'\\'' :a$b$:c$b$", "[:a] ? @x $1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		for _, d := range dialects() {
			st, err := d.translate(source)
			if err != nil {
				continue
			}
			again, err := d.translate(source)
			require.NoError(t, err)
			require.Equal(t, st, again)
			if !d.numbered { // ? is as long as :, and the rest is unchanged
				require.Len(t, st.text+strings.Join(st.names, ""), len(source), "%q", source)
			}
			if len(st.names) == 0 {
				require.Equal(t, source, st.text)
			}
		}
	})
}

package code_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
)

// Scripts as users of n8n write them.
func TestFlavourOfN8N(t *testing.T) {
	h := host(t)
	people := []any{record{"name": "Ann", "age": 31}, record{"name": "Bob", "age": 17}}
	for name, tt := range map[string]struct {
		code   string
		config record
		want   any
	}{
		"items in a loop":   {"for (const item of items) { item.json.n = item.json.name.length }\nreturn items;", nil, []any{record{"name": "Ann", "age": 31, "n": 3}, record{"name": "Bob", "age": 17, "n": 3}}},
		"$input.all":        {"return $input.all().filter(i => i.json.age > 18)", nil, []any{record{"name": "Ann", "age": 31}}},
		"$input.first":      {"const {name} = $input.first().json\nreturn {json: {name, last: $input.last().json.name, same: $input.item.json.name}}", nil, []any{record{"name": "Ann", "last": "Bob", "same": "Ann"}}},
		"without json":      {"return $input.all().map(i => ({upper: i.json.name.toUpperCase()}))", nil, []any{record{"upper": "ANN"}, record{"upper": "BOB"}}},
		"a single record":   {"return {total: items.reduce((a, i) => a + i.json.age, 0)}", nil, []any{record{"total": 48}}},
		"$json":             {"return [{json: {first: $json.name}}]", nil, []any{record{"first": "Ann"}}},
		"another node":      {"return [{json: {a: $('Get rates').first().json.eur, b: $node['Get rates'].json.eur, c: $items('Get rates').length, d: $('Get rates').all()[0].json.eur}}]", nil, []any{record{"a": 2, "b": 2, "c": 1, "d": 2}}},
		"each":              {"return {json: {...$json, i: $itemIndex, same: $input.item.json.name === item.json.name}}", record{"mode": "each"}, []any{record{"name": "Ann", "age": 31, "i": 0, "same": true}, record{"name": "Bob", "age": 17, "i": 1, "same": true}}},
		"each, one dropped": {"if ($json.age < 18) return null\n$json.ok = true\nreturn $input.item", record{"mode": "each"}, []any{record{"name": "Ann", "age": 31, "ok": true}}},
		"each, async":       {"const v = await Promise.resolve($json.age)\nreturn {v}", record{"mode": "each"}, []any{record{"v": 31}, record{"v": 17}}},
		"a date": {
			"const d = DateTime.fromISO('2026-01-31T18:05:09Z', {zone: 'Europe/Berlin'})\nreturn [{a: d.toFormat('dd.MM.yyyy HH:mm'), b: d.plus({months: 1}).toISODate(), c: d.startOf('week').toFormat('cccc'), d: d.diff(DateTime.fromISO('2026-01-01T00:00:00Z'), 'days').toObject().days > 30, e: d.setZone('America/New_York').toISO(), f: Interval.after(d, {days: 1}).length('hours'), g: Duration.fromObject({minutes: 90}).toFormat('hh:mm')}]",
			nil,
			[]any{record{"a": "31.01.2026 19:05", "b": "2026-02-28", "c": "Monday", "d": true, "e": "2026-01-31T13:05:09.000-05:00", "f": 24, "g": "01:30"}},
		},
		"now":         {"return [{same: +$now === Date.now() && +DateTime.now() === +$now, zone: $now.zoneName, today: $today.hour}]", nil, []any{record{"same": true, "zone": "UTC", "today": 0}}},
		"Intl":        {"return [{a: new Intl.NumberFormat('en-US').format(1234567.5)}]", nil, []any{record{"a": "1,234,567.5"}}},
		"no items":    {"return []", nil, []any{}},
		"nothing":     {"return", nil, []any{}},
		"plain items": {"return $('plain').all().map(i => i.json)", nil, []any{record{"value": 1}, record{"value": "b"}}},
	} {
		t.Run(name, func(t *testing.T) {
			config := script(tt.code, record{"inputs": []any{"items_in", "Get_rates", "plain"}, "flavour": "n8n"})
			maps.Copy(config, tt.config)
			out, err := h.Exec(javascript, config, record{"items_in": people, "Get_rates": record{"eur": 2}, "plain": []any{1, "b"}})
			require.NoError(t, err)
			require.Equal(t, tt.want, out["result"])
		})
	}
	_, err := h.Exec(javascript, script("return $('Other').all()", record{"inputs": []any{"a"}, "flavour": "n8n"}), record{"a": people})
	require.ErrorContains(t, err, "there is no input for Other; name Other in inputs, and wire it, in line 1")
	_, err = h.Exec(javascript, script("return $json.x.y", record{"inputs": []any{"a"}, "flavour": "n8n", "mode": "each"}), record{"a": people})
	require.ErrorContains(t, err, "item 0: TypeError")
	require.Equal(t, "script_error", node.CodeOf(err))
}

package sqlnode

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// The limits of names.
const (
	mostColumns = 500
	longestName = 128
	// rowsAtOnce is how many rows go in one statement.
	rowsAtOnce = 500
)

type insertIn struct {
	Credential value.Credential `port:"credential" network:"postgres|mysql|sqlite" doc:"The database, for example postgres:main."`
	Table      string           `port:"table,literal" doc:"The table, with its schema if it has one: sales.orders."`
	Columns    []string         `port:"columns,literal" doc:"The columns that are written; each takes the field of its name, null where a row has none."`
	Rows       []map[string]any `port:"rows" doc:"The rows."`
	OnConflict string           `port:"onConflict,literal" enum:"fail|skip|update" default:"fail" doc:"What to do with a row that is there already: fail, leave it, or write over it."`
	Key        []string         `port:"key,optional,literal" doc:"With update: the columns by which a row is the same. MySQL takes those of its own indexes."`
}

func insertNode(p *pools) node.Node {
	return node.FuncFor("sql.insert", "Insert rows", func(b node.Binding) (func(context.Context, insertIn) (execOut, error), []node.Problem) {
		return p.insert, checkInsert(b)
	}).Once().Timeout(5*sqlTimeout).
		Aliases("insert, add rows, upsert, save rows, batch, database", "zeilen einfügen, speichern, upsert, datenbank").
		Example(map[string]any{"credential": "postgres:main", "table": "customers", "columns": []any{"id", "name"}, "rows": []any{map[string]any{"id": 1, "name": "Ada"}}}).Doc(
		"Writes rows into a table, all of them or none, in as few statements as it takes. Only the columns that are named are written, whatever else the rows hold.\n\n" +
			"`table` = `customers`, `columns` = `[\"id\",\"name\"]`, `rows` = `[{\"id\":1,\"name\":\"Ada\"}]`.\n\n" +
			"Lists and records are stored as JSON, and lists as arrays in columns of PostgreSQL that hold arrays. MySQL counts a row that was written over as two. " + failuresHelp)
}

func checkInsert(b node.Binding) (problems []node.Problem) {
	config := b.Config
	table, _ := config["table"].(string)
	if !isName(table) {
		problems = append(problems, node.Invalid("table", "name a table, such as orders or sales.orders, in at most %d bytes", longestName))
	}
	list := func(port string) (names []string) {
		values, _ := config[port].([]any)
		for _, v := range values {
			name, isText := v.(string)
			if isText && (!isName(name) || slices.Contains(names, name)) {
				problems = append(problems, node.Invalid(port, "%q cannot be a column here: it is empty, too long, or stands twice", value.Shorten(name, longestName)))
			}
			names = append(names, name)
		}
		return names
	}
	columns, key := list("columns"), list("key")
	switch {
	case len(columns) == 0 || len(columns) > mostColumns:
		problems = append(problems, node.Invalid("columns", "name 1 to %d columns", mostColumns))
	case config["onConflict"] == "update" && (len(key) == 0 || slices.ContainsFunc(key, func(k string) bool { return !slices.Contains(columns, k) })):
		problems = append(problems, node.Invalid("key", "update needs the columns by which a row is the same, from columns"))
	}
	return problems
}

func isName(name string) bool {
	return strings.Trim(name, ".") != "" && len(name) <= longestName && !strings.ContainsRune(name, 0)
}

func (p *pools) insert(ctx context.Context, in insertIn) (out execOut, err error) {
	if len(in.Rows) == 0 {
		return out, nil
	}
	err = p.with(ctx, in.Credential, func(s *session) error {
		return s.together(ctx, func(tx *sql.Tx) error { return s.insert(ctx, tx, &in, &out) })
	})
	return out, err
}

func (s *session) insert(ctx context.Context, tx *sql.Tx, in *insertIn, out *execOut) error {
	size := min(rowsAtOnce, s.most/len(in.Columns))
	var full *sql.Stmt
	for from := 0; from < len(in.Rows); from += size {
		rows := in.Rows[from:min(from+size, len(in.Rows))]
		values := make([]any, 0, len(rows)*len(in.Columns))
		for _, row := range rows {
			for _, name := range in.Columns {
				values = append(values, row[name])
			}
		}
		text := s.insertion(in, len(rows))
		args, err := s.bind(ctx, text, values)
		if err != nil {
			return at(from, err)
		}
		switch {
		case len(rows) < size:
			err = out.count(tx.ExecContext(ctx, text, args...))
		case full == nil:
			if full, err = tx.PrepareContext(ctx, text); err != nil {
				return err
			}
			defer full.Close() //nolint:errcheck // the transaction tells
			fallthrough
		default:
			err = out.count(full.ExecContext(ctx, args...))
		}
		if err != nil {
			return at(from, err)
		}
		node.Progress(ctx, from+len(rows), len(in.Rows), "rows")
	}
	return nil
}

// insertion returns the statement for the given number of rows.
func (s *session) insertion(in *insertIn, rows int) string {
	var b strings.Builder
	columns := make([]string, len(in.Columns))
	for i, name := range in.Columns {
		columns[i] = s.part(name)
	}
	b.WriteString("INSERT ")
	if in.OnConflict == "skip" && s.network == "mysql" {
		b.WriteString("IGNORE ")
	}
	b.WriteString("INTO " + s.name(in.Table) + " (" + strings.Join(columns, ", ") + ") VALUES ")
	n := 0
	for row := range rows {
		if row > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('(')
		for i := range columns {
			if n++; i > 0 {
				b.WriteByte(',')
			}
			if s.numbered {
				b.WriteString("$" + strconv.Itoa(n))
			} else {
				b.WriteByte('?')
			}
		}
		b.WriteByte(')')
	}
	b.WriteString(s.conflict(in))
	return b.String()
}

// conflict returns the clause for rows that exist already.
func (s *session) conflict(in *insertIn) string {
	switch {
	case in.OnConflict == "fail", in.OnConflict == "skip" && s.network == "mysql":
		return ""
	case in.OnConflict == "skip":
		return " ON CONFLICT DO NOTHING"
	}
	var sets []string
	for _, name := range in.Columns {
		if slices.Contains(in.Key, name) {
			continue
		}
		quoted := s.part(name)
		if s.network == "mysql" {
			sets = append(sets, quoted+" = VALUES("+quoted+")")
		} else {
			sets = append(sets, quoted+" = excluded."+quoted)
		}
	}
	key := make([]string, len(in.Key))
	for i, name := range in.Key {
		key[i] = s.part(name)
	}
	switch {
	case s.network == "mysql" && len(sets) == 0:
		return " ON DUPLICATE KEY UPDATE " + key[0] + " = " + key[0]
	case s.network == "mysql":
		return " ON DUPLICATE KEY UPDATE " + strings.Join(sets, ", ")
	case len(sets) == 0:
		return " ON CONFLICT DO NOTHING"
	}
	return " ON CONFLICT (" + strings.Join(key, ", ") + ") DO UPDATE SET " + strings.Join(sets, ", ")
}

// at adds a row to err: the row it is about, or the first row of its statement.
func at(row int, err error) error { return fmt.Errorf("from row %d on: %w", row, err) }

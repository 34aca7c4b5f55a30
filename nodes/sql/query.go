package sqlnode

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// The limits of the nodes.
const (
	maxSQL      = 64 << 10 // bytes of a statement
	usualRows   = 10_000
	highestRows = 1_000_000
	sqlTimeout  = time.Minute
)

const sqlPort = "sql"

type queryIn struct {
	Credential value.Credential `port:"credential" network:"postgres|mysql|sqlite" doc:"The database, for example postgres:main."`
	SQL        string           `port:"sql,literal" widget:"multiline" doc:"One statement, with :name where a value belongs."`
	Params     map[string]any   `port:"params,optional" doc:"The values, by name."`
	MaxRows    int              `port:"maxRows" default:"10000" doc:"How many rows at most, up to 1000000; more are a failure."`
}

type queryOut struct {
	Rows    []any       `port:"rows" doc:"The rows, each a record by column."`
	Columns []columnOut `port:"columns" doc:"The columns, with the type that the database says."`
	Count   int         `port:"count" doc:"How many rows there are."`
}

type columnOut struct {
	Name string `port:"name" doc:"Its name."`
	Type string `port:"type" doc:"Its type."`
}

const valuesHelp = "Values come in by name only, `:name` for the field `name` of `params`, and never become SQL. Lists and records are stored as JSON; in PostgreSQL, lists go into arrays, as in `= any(:ids)`, and arrays come back as lists. A connection keeps nothing for the next node: no settings, temporary tables, locks or open transactions. "

const failuresHelp = "Fails with `sql_error` if the database refuses the statement, `conflict` if a row is there already, `invalid_input` for a value that it cannot take, " +
	"`unavailable` if it cannot be reached or others hold what is needed (another try may help), and `reauthorize` if it does not take the credential. When the node is cancelled, the server stops working on it."

func queryNode(p *pools) node.Node {
	return node.FuncFor("sql.query", "Query database", func(b node.Binding) (func(context.Context, queryIn) (queryOut, error), []node.Problem) {
		prepared, problems := prepare(b)
		return func(ctx context.Context, in queryIn) (queryOut, error) { return p.query(ctx, prepared, in) }, problems
	}).OnceIf("the statement changes something", changes).Timeout(sqlTimeout).
		Aliases("select, database, postgres, mysql, mariadb, sqlite, table, read rows", "datenbank, abfrage, tabelle, zeilen lesen, select").
		Example(map[string]any{"credential": "postgres:main", sqlPort: "SELECT id, name FROM customers WHERE city = :city ORDER BY id", "params": map[string]any{"city": "Graz"}}).Doc(
		"Asks a database (PostgreSQL, MySQL, MariaDB, SQLite) and returns rows. " + valuesHelp + "\n\n" +
			"`sql` = `SELECT id, name FROM customers WHERE city = :city` with `params` = `{\"city\":\"Graz\"}`.\n\n" +
			"Whole numbers stay whole numbers and decimals are texts, so that no digit is lost; times are ISO 8601, bytes base64, JSON is what it says. Statements that change something may return rows, too (`RETURNING`). A row of more than 64 MiB fails with `limit_exceeded`. " +
			failuresHelp)
}

// prepared is the statement of a node, for each database that it can be sent to.
type prepared map[string]statement

// prepare translates the literal of a node.
func prepare(b node.Binding) (prepared, []node.Problem) {
	source, _ := b.Config[sqlPort].(string)
	switch {
	case len(source) > maxSQL:
		return nil, []node.Problem{node.Invalid(sqlPort, "the statement is longer than %d bytes", maxSQL)}
	case strings.TrimSpace(source) == "":
		return nil, []node.Problem{node.Invalid(sqlPort, "there is no statement")}
	}
	all, networks := prepared{}, dialects()
	if ref, ok := b.Config["credential"].(string); ok { // else the wire tells in the run
		network := credentials.Ref(ref).Network()
		if d, known := networks[network]; known {
			networks = map[string]dialect{network: d}
		}
	}
	var problems []node.Problem
	for _, network := range []string{"postgres", "mysql", "sqlite"} {
		d, wanted := networks[network]
		if !wanted {
			continue
		}
		st, err := d.translate(source)
		if word := controlsTransaction(source, d); err == nil && word != "" {
			err = fmt.Errorf("%s does not end with its node, which has a connection to itself; give sql.exec a list of records, which it carries out in one transaction", word)
		}
		if err == nil && network == "sqlite" && strings.Contains(strings.ToLower(source), "max_page_count") {
			err = errors.New("max_page_count is set by the server, which bounds the files of workflows; leave it out")
		}
		if err == nil {
			all[network] = st
		} else if len(networks) == 1 {
			problems = append(problems, node.Invalid(sqlPort, "%v", err))
		}
	}
	return all, problems
}

// of returns the statement for the database of a credential.
func (p prepared) of(ref credentials.Ref) (statement, error) {
	st, ok := p[ref.Network()]
	if !ok {
		return st, node.Permanent(node.Errorf(node.CodeInvalidConfig, "the statement has placeholders of its own (write :name, and give params a field name), or begins or ends a transaction (give sql.exec a list of records)"))
	}
	return st, nil
}

// changes reports whether a statement may change data: all but plain queries.
func changes(b node.Binding) bool {
	source, _ := b.Config[sqlPort].(string)
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(source)), " ")
	return word != "select" && word != "values" && word != "show" && word != "explain"
}

func (p *pools) query(ctx context.Context, all prepared, in queryIn) (out queryOut, err error) {
	if in.MaxRows < 0 || in.MaxRows > highestRows {
		return out, node.Errorf(node.CodeInvalidInput, "maxRows is a number from 0 to %d", highestRows)
	}
	st, err := all.of(in.Credential)
	if err != nil {
		return out, err
	}
	args, err := st.args(in.Params)
	if err != nil {
		return out, err
	}
	err = p.with(ctx, in.Credential, func(s *session) error {
		bound, err := s.bind(ctx, st.text, args)
		if err != nil {
			return err
		}
		rows, err := s.QueryContext(ctx, st.text, bound...)
		if err != nil {
			return err
		}
		defer rows.Close() //nolint:errcheck // Err says what went wrong
		if err := out.read(ctx, s.meter, rows, in.MaxRows); err != nil {
			return err
		}
		return s.readOwnArrays(ctx, &out)
	})
	return out, err
}

// read fills out with rows.
func (out *queryOut) read(ctx context.Context, m *meter, rows *sql.Rows, most int) error {
	columns, err := columnsOf(rows)
	if err != nil {
		return err
	}
	out.Columns, out.Rows = make([]columnOut, len(columns)), []any{}
	scanned, places := make([]any, len(columns)), make([]any, len(columns))
	for i, c := range columns {
		out.Columns[i], places[i] = columnOut{c.name, c.typ}, &scanned[i]
	}
	for rows.Next() {
		m.next()
		if len(out.Rows) == most {
			return node.Permanent(node.Errorf(node.CodeLimitExceeded, "there are more than %d rows; ask for fewer (LIMIT), or raise maxRows", most))
		}
		if err := rows.Scan(places...); err != nil {
			return err
		}
		row := make(map[string]any, len(columns))
		for i, c := range columns {
			row[c.name] = c.read(scanned[i])
		}
		if err := node.Hold(ctx, value.Size(row, highestRows)); err != nil {
			return err
		}
		out.Rows = append(out.Rows, row)
	}
	out.Count = len(out.Rows)
	return rows.Err()
}

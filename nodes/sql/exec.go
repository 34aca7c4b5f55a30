package sqlnode

import (
	"context"
	"database/sql"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

type execIn struct {
	Credential value.Credential `port:"credential" network:"postgres|mysql|sqlite" doc:"The database, for example postgres:main."`
	SQL        string           `port:"sql,literal" widget:"multiline" doc:"One statement, with :name where a value belongs."`
	Params     any              `port:"params,optional" doc:"The values, by name; a list of such records carries the statement out for each."`
}

type execOut struct {
	Affected int `port:"affected" doc:"How many rows were changed, all in all."`
}

func execNode(p *pools) node.Node {
	return node.FuncFor("sql.exec", "Change database", func(b node.Binding) (func(context.Context, execIn) (execOut, error), []node.Problem) {
		prepared, problems := prepare(b)
		return func(ctx context.Context, in execIn) (execOut, error) { return p.exec(ctx, prepared, in) }, problems
	}).Once().Timeout(sqlTimeout).
		Aliases("update, delete, create table, database, statement, transaction", "datenbank ändern, update, löschen, anweisung, transaktion").
		Example(map[string]any{"credential": "postgres:main", sqlPort: "UPDATE orders SET paid = true WHERE id = :id", "params": []any{map[string]any{"id": 1}, map[string]any{"id": 2}}}).Doc(
		"Carries out a statement that changes a database. With a list of records in `params`, once for each, all in one transaction: all of them or none. " + valuesHelp + "\n\n" +
			"`sql` = `UPDATE orders SET paid = true WHERE id = :id` with `params` = `[{\"id\":1},{\"id\":2}]`.\n\n" + failuresHelp)
}

func (p *pools) exec(ctx context.Context, all prepared, in execIn) (out execOut, err error) {
	st, err := all.of(in.Credential)
	if err != nil {
		return out, err
	}
	sets, err := paramSets(in.Params)
	if err != nil {
		return out, err
	}
	batch := make([][]any, len(sets))
	for i, set := range sets {
		if batch[i], err = st.args(set); err != nil {
			return out, err
		}
	}
	if len(batch) == 0 {
		return out, nil
	}
	err = p.with(ctx, in.Credential, func(s *session) error {
		if len(batch) == 1 {
			args, err := s.bind(ctx, st.text, batch[0])
			if err != nil {
				return err
			}
			return out.count(s.ExecContext(ctx, st.text, args...))
		}
		return s.together(ctx, func(tx *sql.Tx) error { return out.each(ctx, s, tx, st.text, batch) })
	})
	return out, err
}

// paramSets returns the records of params.
func paramSets(params any) ([]map[string]any, error) {
	switch params := params.(type) {
	case nil:
		return []map[string]any{nil}, nil
	case map[string]any:
		return []map[string]any{params}, nil
	case []any:
		sets := make([]map[string]any, len(params))
		for i, v := range params {
			set, isRecord := v.(map[string]any)
			if !isRecord {
				return nil, node.Errorf(node.CodeTypeError, "item %d of params is %s; each is a record", i, value.KindOf(v))
			}
			sets[i] = set
		}
		return sets, nil
	}
	return nil, node.Errorf(node.CodeTypeError, "params is %s; it is a record, or a list of records", value.KindOf(params))
}

// together runs do in a transaction.
func (s *session) together(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := s.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		_ = tx.Rollback() // the first error is the one to tell
		return err
	}
	return tx.Commit()
}

// each executes a statement for each set of values.
func (out *execOut) each(ctx context.Context, s *session, tx *sql.Tx, text string, batch [][]any) error {
	st, err := tx.PrepareContext(ctx, text)
	if err != nil {
		return err
	}
	defer st.Close() //nolint:errcheck // the transaction tells
	for i, values := range batch {
		args, err := s.bind(ctx, text, values)
		if err != nil {
			return at(i, err)
		}
		if err := out.count(st.ExecContext(ctx, args...)); err != nil {
			return at(i, err)
		}
		if i%1000 == 999 {
			node.Progress(ctx, i+1, len(batch), "rows")
		}
	}
	return nil
}

func (out *execOut) count(r sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := r.RowsAffected()
	if err == nil {
		out.Affected += int(n)
	}
	return err
}

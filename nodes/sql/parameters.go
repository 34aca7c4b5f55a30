package sqlnode

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/svcflow/svc/engine/value"
)

// bind returns the values of a statement as the database takes them. PostgreSQL gets texts,
// which it reads by the type of each parameter: 5 goes into a column of text, and 1.5 does not
// go into one of whole numbers. Lists become arrays where the statement has an array.
func (s *session) bind(ctx context.Context, text string, values []any) ([]any, error) {
	s.meter.next()
	bound := make([]any, len(values))
	if s.network != "postgres" {
		for i, v := range values {
			bound[i] = argument(v)
		}
		return bound, nil
	}
	var lists bool
	for i, v := range values {
		bound[i] = textOf(v)
		_, isList := v.([]any)
		lists = lists || isList
	}
	if !lists {
		return bound, nil
	}
	arrays, err := s.arrays(ctx, text, values)
	for i, of := range arrays {
		if of.array {
			bound[i] = of.literal(values[i].([]any))
		}
	}
	return bound, err
}

// textOf returns a value as PostgreSQL reads it.
func textOf(v any) any {
	switch v := v.(type) {
	case nil:
		return nil
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case float64:
		if size := math.Abs(v); size == 0 || size >= 1e-6 && size < 1e21 {
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return argument(v)
}

// elements describes the elements of a parameter that is an array.
type elements struct{ array, json bool }

// arrays returns what the parameters of a statement are that get lists.
func (s *session) arrays(ctx context.Context, text string, values []any) ([]elements, error) {
	types := make([]elements, len(values))
	err := s.Raw(func(c any) error {
		conn := c.(*stdlib.Conn).Conn()
		described, err := conn.Prepare(ctx, "", text)
		if err != nil {
			return err
		}
		for i, oid := range described.ParamOIDs {
			if _, isList := values[i].([]any); !isList {
				continue
			}
			if types[i], err = elementsOf(ctx, conn, oid); err != nil {
				return err
			}
		}
		return nil
	})
	return types, err
}

func elementsOf(ctx context.Context, conn *pgx.Conn, oid uint32) (of elements, err error) {
	if t, known := conn.TypeMap().TypeForOID(oid); known {
		codec, isArray := t.Codec.(*pgtype.ArrayCodec)
		json := isArray && (codec.ElementType.Name == "json" || codec.ElementType.Name == "jsonb")
		return elements{isArray, json}, nil
	}
	err = conn.QueryRow(ctx, "SELECT typcategory = 'A' FROM pg_type WHERE oid = $1", oid).Scan(&of.array) // a type of the user's own
	return of, err
}

// literal writes a list as PostgreSQL writes arrays.
func (of elements) literal(list []any) string {
	parts := make([]string, len(list))
	for i, v := range list {
		inner, nested := v.([]any)
		switch {
		case v == nil:
			parts[i] = "NULL"
		case of.json:
			parts[i] = quoteElement(string(value.Encode(v)))
		case nested:
			parts[i] = of.literal(inner)
		default:
			parts[i] = quoteElement(fmt.Sprint(textOf(v)))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func quoteElement(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

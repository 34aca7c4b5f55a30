package redis

import (
	"slices"
	"strings"

	"github.com/gomodule/redigo/redis"
)

// resultOf converts a reply, as the client returns it, to a value.
func resultOf(c command, answer any) (any, error) {
	v, err := valueOf(answer)
	if list, isList := v.([]any); isList && slices.Contains([]string{"HGETALL", "CONFIG GET"}, c.full) && len(list)%2 == 0 {
		return recordOf(list), err
	}
	return v, err
}

func valueOf(answer any) (any, error) {
	switch answer := answer.(type) {
	case int64:
		return int(answer), nil
	case []byte:
		return strings.ToValidUTF8(string(answer), "\ufffd"), nil
	case string:
		return strings.ToValidUTF8(answer, "\ufffd"), nil
	case redis.Error:
		return nil, answer
	case []any:
		list := make([]any, len(answer))
		for i := range answer {
			v, err := valueOf(answer[i])
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	}
	return nil, nil //nolint:nilnil // null is a value
}

// recordOf makes a record of a list of alternating names and values.
func recordOf(list []any) map[string]any {
	record := make(map[string]any, len(list)/2)
	for i := 0; i < len(list); i += 2 {
		name, _ := list[i].(string)
		record[name] = list[i+1]
	}
	return record
}

package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/svcflow/svc/httpapi/keys"
)

// Keys describes the named keys of the server, by name.
func (c *Client) Keys(ctx context.Context) ([]keys.Key, error) {
	var list []keys.Key
	err := c.get(ctx, "/keys", &list)
	return list, err
}

// MakeKey makes a named key. Only its result contains the secret.
func (c *Client) MakeKey(ctx context.Context, q keys.Request) (keys.Made, error) {
	var made keys.Made
	body, err := json.Marshal(q)
	if err == nil {
		err = c.post(ctx, "/keys", body, &made)
	}
	return made, err
}

// RevokeKey deletes a named key. It is an error if the key does not exist.
func (c *Client) RevokeKey(ctx context.Context, name string) error {
	return c.call(ctx, http.MethodDelete, "/keys/"+url.PathEscape(name), nil, nil, nil)
}

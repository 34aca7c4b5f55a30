package sqlnode

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"modernc.org/sqlite"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
)

// connectTimeout bounds how long a connection may take to be made.
const connectTimeout = 10 * time.Second

// open makes the pool of a data source. It does not connect yet. Errors quote nothing of the
// data source.
func (p *pools) open(ref credentials.Ref, c credentials.Credential) (*sql.DB, error) {
	u, err := url.Parse(c.Access.Reveal())
	scheme := map[string]string{"postgres": "postgres://user:password@host:5432/database", "mysql": "mysql://user:password@host:3306/database", "sqlite": "sqlite:folder/file.db"}
	network := ref.Network()
	if err != nil || u.Scheme != network && (network != "postgres" || u.Scheme != "postgresql") {
		return nil, unusable(ref, "write it as %s", scheme[network])
	}
	if network == "sqlite" {
		return p.openSQLite(ref, u)
	}
	if u.Hostname() == "" || u.User.Username() == "" || strings.Trim(u.Path, "/") == "" {
		return nil, unusable(ref, "it has to name a user, a host and a database, as %s does", scheme[network])
	}
	dial := metered(service.DialFor(p.config.Dial, ref, c.Hosts))
	if network == "mysql" {
		return p.openMySQL(ref, u, dial)
	}
	return p.openPostgres(ref, u, dial)
}

func unusable(ref credentials.Ref, format string, args ...any) error {
	return node.Permanent(node.Errorf(node.CodeInvalidInput, "the credential %q names no database that can be used: %s", ref, fmt.Sprintf(format, args...)))
}

// settings returns the settings after the ? of a data source. It refuses unknown ones, among
// them those that name files of the server, or change how statements are sent.
func settings(ref credentials.Ref, u *url.URL, known ...string) (url.Values, error) {
	values := u.Query()
	for name := range values {
		if !slices.Contains(known, name) {
			return nil, unusable(ref, "of what stands behind the ? only %s can be set", strings.Join(known, ", "))
		}
	}
	return values, nil
}

func (p *pools) openPostgres(ref credentials.Ref, u *url.URL, dial service.Dial) (*sql.DB, error) {
	values, err := settings(ref, u, "sslmode", "application_name", "search_path", "timezone")
	if err != nil {
		return nil, err
	}
	if !values.Has("sslmode") {
		values.Set("sslmode", "prefer") // and not what the server's environment says
	}
	password, _ := u.User.Password()
	plain := url.URL{Scheme: "postgres", Host: u.Host, Path: u.Path, RawQuery: values.Encode(), User: url.UserPassword(u.User.Username(), "-")}
	if u.Port() == "" {
		plain.Host = net.JoinHostPort(u.Hostname(), "5432")
	}
	config, err := pgx.ParseConfig(plain.String())
	if err != nil {
		return nil, unusable(ref, "one of its settings cannot be read")
	}
	config.Password, config.ConnectTimeout = password, connectTimeout
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		return dial(ctx, network, address)
	}
	config.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil } // DialFunc resolves the host, so that it can check it
	for _, f := range config.Fallbacks {
		f.Host, f.Port = config.Host, config.Port
	}
	return sql.OpenDB(metering{stdlib.GetConnector(*config), p}), nil
}

func (p *pools) openMySQL(ref credentials.Ref, u *url.URL, dial service.Dial) (*sql.DB, error) {
	values, err := settings(ref, u, "tls", "charset", "collation")
	if err != nil {
		return nil, err
	}
	config := mysql.NewConfig()
	config.User = u.User.Username()
	config.Passwd, _ = u.User.Password()
	config.Net, config.Addr, config.DBName = "tcp", u.Host, strings.Trim(u.Path, "/")
	if u.Port() == "" {
		config.Addr = net.JoinHostPort(u.Hostname(), "3306")
	}
	config.Timeout, config.Loc, config.ParseTime = connectTimeout, time.UTC, false
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		return dial(ctx, network, address)
	}
	config.Logger = silent{}
	switch mode := values.Get("tls"); mode {
	case "", "preferred", "true", "false", "skip-verify":
		config.TLSConfig = mode
		if mode == "" {
			config.TLSConfig = "preferred"
		}
	default:
		return nil, unusable(ref, "tls is true, false, preferred or skip-verify")
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, unusable(ref, "one of its settings cannot be read")
	}
	return sql.OpenDB(metering{connector, p}), nil
}

// silent keeps the driver from writing to standard error.
type silent struct{}

func (silent) Print(...any) {}

// openSQLite opens a database file below the folder of the file nodes.
func (p *pools) openSQLite(ref credentials.Ref, u *url.URL) (*sql.DB, error) {
	name := u.Opaque + u.Host + u.Path
	if p.config.Files == nil || name == "" || u.RawQuery != "" {
		return nil, unusable(ref, "write it as sqlite:folder/file.db, without settings")
	}
	name, err := p.config.Files.Clean(name)
	if err != nil {
		return nil, err
	}
	if first, _, _ := strings.Cut(filepath.ToSlash(name), "/"); first == node.RunsDir {
		return nil, node.Permanent(node.Errorf(node.CodeForbidden, "the credential %q names a file in the folder of a run, and all runs share a database; write another path, such as sqlite:folder/file.db", ref))
	}
	if err := p.config.Files.MkdirAll(path.Dir(filepath.ToSlash(name)), 0o700); err != nil {
		return nil, err
	}
	f, err := p.config.Files.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, unusable(ref, "its folder cannot be made")
	case err != nil:
		return nil, err
	}
	file := f.Name()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close() // nothing was written
		return nil, unusable(ref, "it is no regular file")
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	connector, err := sqlite.NewConnector("file:" + (&url.URL{Path: file}).EscapedPath() + "?_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)&_pragma=trusted_schema(0)")
	if err != nil {
		return nil, unusable(ref, "it cannot be opened")
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1) // one writes at a time anyway
	return db, nil
}

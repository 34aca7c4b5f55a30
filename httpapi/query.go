package httpapi

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/svcflow/svc/httpapi/internal/problem"
)

// readQuery reads the parameters of a request for a route that does not take any. What
// the route does not know is a mistake, as it is in a body: passed over in silence it
// would answer another question than the one that was asked.
func (a *answer) readQuery(r *http.Request) error {
	if r.URL.RawQuery == "" || a.route.scope == "" {
		return nil
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return problem.InvalidParameter("the query of the address is not written as URLs have it; % is %25 there, and ; is %3B")
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		switch {
		case !slices.Contains(a.route.query, name):
			return problem.InvalidParameter(fmt.Sprintf("there is no query parameter %.40q here; %s", name, knownParameters(a.route.query)))
		case len(query[name]) > 1:
			return problem.InvalidParameter("the query parameter " + name + " comes once")
		}
	}
	a.query = query
	return nil
}

// knownParameters words what a route takes.
func knownParameters(names []string) string {
	if len(names) == 0 {
		return "this address takes none"
	}
	return "this address takes " + strings.Join(names, ", ")
}

// flag returns the value of a boolean query parameter; false if it is not there.
func (a *answer) flag(name string) (bool, error) {
	if !a.query.Has(name) {
		return false, nil
	}
	on, err := strconv.ParseBool(a.query.Get(name))
	if err != nil {
		return false, problem.InvalidParameter("the query parameter " + name + " is true or false")
	}
	return on, nil
}

// limit returns how many items of a list the caller wants on a page, at most so many; 0 is for
// as many as there usually are.
func (a *answer) limit(most int) (int, error) {
	if !a.query.Has("limit") {
		return 0, nil
	}
	n, err := strconv.Atoi(a.query.Get("limit"))
	if err != nil || n < 1 || n > most {
		return 0, problem.InvalidParameter(fmt.Sprintf("the query parameter limit is a number from 1 to %d", most))
	}
	return n, nil
}

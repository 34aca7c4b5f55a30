package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/store/memstore"
)

// A host mounts the service under a prefix and adds a store and a plugin.
func ExampleInstall() {
	config := httpapi.Config{RoutePrefix: "/flow", APIKey: "correct-horse-battery-staple", Store: &memstore.Workflows{}, Runs: &memstore.Runs{}}
	config.Plugins(echo{})

	mux := http.NewServeMux()
	service, err := httpapi.Install(mux, config)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer service.Close(context.Background()) //nolint:errcheck // nothing is running
	host := httptest.NewServer(mux)
	defer host.Close()

	workflow := `{"id":"demo","nodes":[{"id":"e","type":"my.echo"}],"connections":[]}`
	request, _ := http.NewRequest(http.MethodPost, host.URL+"/flow/validate", strings.NewReader(workflow))
	request.Header.Set("Authorization", "Bearer correct-horse-battery-staple")
	request.Header.Set("Content-Type", "application/json")
	response, err := host.Client().Do(request)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	problems, _ := io.ReadAll(response.Body)
	fmt.Printf("%s: %s", response.Status, problems)
	// Output:
	// 200 OK: [{"code":"missing_required_input","message":"the required input \"text\" has no value","nodeId":"e","port":"text","hint":"connect it or set it in config"}]
}

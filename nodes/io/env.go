package ionode

import (
	"context"
	"strings"

	"github.com/svcflow/svc/engine/node"
)

type envIn struct {
	Name   string `port:"name,choices" widget:"variable" doc:"Full name of the variable, for example SVC_VAR_REGION."`
	Secret bool   `port:"secret,literal" default:"false" doc:"Conceal the value: it is passed on, but shown nowhere."`
}

type envOut struct {
	Value *string `port:"value" doc:"Its value; null if it is not set."`
	Found bool    `port:"found" doc:"Whether it is set."`
}

// envNode returns the node io.env_read.
func envNode(getenv func(string) (string, bool, error), variables func() []string) node.Node {
	choose := func(context.Context, string, map[string]any) (all []node.Choice, err error) {
		for _, name := range variables() {
			all = append(all, node.Choice{Value: name})
		}
		return all, nil
	}
	run := func(ctx context.Context, in envIn) (envOut, error) {
		if in.Name == "" {
			return envOut{}, node.Errorf(node.CodeInvalidInput, "give the name of a variable")
		}
		v, found, err := getenv(in.Name)
		if err != nil || !found {
			return envOut{}, err
		}
		v = strings.ToValidUTF8(v, "\uFFFD")
		if in.Secret {
			node.ConcealOutput(ctx, v)
		}
		return envOut{Value: &v, Found: true}, nil
	}
	return node.Func("io.env_read", "Read variable", run).Choices(choose).
		Aliases("environment, variable, setting", "umgebungsvariable, einstellung").
		Example(map[string]any{"name": "SVC_VAR_REGION"}).Doc(
		"Reads an environment variable. A server shows workflows only those whose name starts with `SVC_VAR_`; any other is " +
			"refused with the code `forbidden`. On your own machine a workflow sees them all.\n\n" +
			"With `secret` the value is replaced by `[redacted]` in outputs, events and logs of the run; where the workflow sends it, is " +
			"not restricted. Keys of services belong into credentials, which are sent to their own hosts only.\n\n" +
			"Example: `name` = `SVC_VAR_REGION` gives `value` = `eu-west`.")
}

package referee

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

// server is one of the two.
type server struct {
	client *http.Client
	host   string
}

func newServer(config *rest.Config) (server, error) {
	client, err := rest.HTTPClientFor(config)
	return server{client, config.Host}, err
}

// request is what both are asked. Of what a server has answered before it may send
// the version, or all but the status.
type request struct {
	method, path, query, accept, content string
	body                                 func(before answer) map[string]any
	text                                 string // instead of a body
}

// answer is what one says.
type answer struct {
	code     int
	content  string
	warnings []string
	whole    map[string]any
	body     map[string]any // without what differs by chance
}

const asJSON, asTable = "application/json", "application/json;as=Table;v=v1;g=meta.k8s.io"

// patience is how long an answer may take: streams are asked for a second.
const patience = 5 * time.Second

var unanswered = map[string]any{"message": "no end within " + patience.String()}

func (s server) ask(ctx context.Context, r request, before answer) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := r.httpRequest(ctx, s.host, before)
	if err != nil {
		return answer{}, err
	}
	res, err := s.client.Do(req)
	var text []byte
	if err == nil {
		defer res.Body.Close()
		text, err = io.ReadAll(res.Body)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return answer{body: unanswered}, nil
	}
	if err != nil {
		return answer{}, fmt.Errorf("%s %s: %w", r.method, req.URL, err)
	}
	a := answer{code: res.StatusCode, content: res.Header.Get("Content-Type"), warnings: res.Header.Values("Warning")}
	if bytes.Contains(text, []byte("\n  ")) {
		a.content += ", laid out"
	}
	a.whole, a.body = understood(text), understood(settled(text))
	sortManagers(a.body)
	return a, nil
}

// httpRequest returns the request to a server that has answered before.
func (r request) httpRequest(ctx context.Context, host string, before answer) (*http.Request, error) {
	sent := []byte(before.told(r.text))
	if r.body != nil {
		var err error
		if sent, err = json.Marshal(r.body(before)); err != nil {
			return nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, r.method, host+before.told(r.path+"?"+r.query), bytes.NewReader(sent))
	if err == nil {
		req.Header.Set("Accept", r.accept)
		req.Header.Set("Content-Type", r.content)
	}
	return req, err
}

// understood returns a text of JSON. A stream is a list of what came.
func understood(text []byte) map[string]any {
	var all []any
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var one any
		err := decoder.Decode(&one)
		switch body, object := one.(map[string]any); {
		case errors.Is(err, io.EOF) && len(all) != 1:
			return map[string]any{"came": all}
		case errors.Is(err, io.EOF):
			return all[0].(map[string]any)
		case err != nil || !object:
			return map[string]any{"text": string(text)}
		default:
			all = append(all, body)
		}
	}
}

func (a answer) ok() bool { return a.code/100 == 2 }

// just sends a body as it is.
func just(body map[string]any) func(answer) map[string]any {
	return func(answer) map[string]any { return body }
}

// versioned sends a body with the version that its object has on each server.
func versioned(body map[string]any) func(answer) map[string]any {
	return func(before answer) map[string]any {
		metadata, ok := body["metadata"].(map[string]any)
		if !ok {
			return body // a mutant
		}
		sent := maps.Clone(body)
		metadata = maps.Clone(metadata)
		about, _ := before.whole["metadata"].(map[string]any)
		metadata["resourceVersion"] = about["resourceVersion"]
		sent["metadata"] = metadata
		return sent
	}
}

// withStatus sends what there is with another status.
func withStatus(status any) func(answer) map[string]any {
	return func(before answer) map[string]any {
		sent := maps.Clone(before.whole)
		sent["status"] = status
		return sent
	}
}

// told puts into a text what a server has said of an object or a list.
func (a answer) told(text string) string {
	about, _ := a.whole["metadata"].(map[string]any)
	for sign, field := range map[string]string{"$uid": "uid", "$version": "resourceVersion", "$continue": "continue"} {
		text = strings.ReplaceAll(text, sign, fmt.Sprint(about[field]))
	}
	return text
}

// byChance finds what a server makes up.
var byChance = []struct {
	found *regexp.Regexp
	as    string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "<uid>"},
	{regexp.MustCompile(`(resourceVersion\W{2,12})\d+`), `$1<version>`},
	{regexp.MustCompile(`(current: |in record \(|too old resource version: )\d+( \(\d+\))?`), `$1<version>`},
	{regexp.MustCompile(`"continue":"[^"]+"`), `"continue":"<continue>"`},
	{regexp.MustCompile(`(made-|Not_A_Name)[bcdfghjklmnpqrstvwxz2456789]{5}\b`), `$1<made>`},
	{regexp.MustCompile(`"\d{1,2}s"`), `"<age>"`},
	{regexp.MustCompile(`\b10\.(9[6-9]|10\d|11[01])\.\d+\.\d+`), "<cluster IP>"},
	{regexp.MustCompile(`(odePort\W{2,8})3[0-2]\d{3}\b`), `${1}30000`},
	{regexp.MustCompile(`:3[0-2]\d{3}/`), ":<node port>/"},
}

// sortManagers brings the managers of fields into an order that does not follow from
// the second in which each wrote.
func sortManagers(body map[string]any) {
	metadata, _ := body["metadata"].(map[string]any)
	managers, _ := metadata["managedFields"].([]any)
	slices.SortFunc(managers, func(a, b any) int {
		return strings.Compare(fmt.Sprint(a.(map[string]any)["subresource"]), fmt.Sprint(b.(map[string]any)["subresource"]))
	})
}

var moment = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)

// settled puts the same in the place of all that was made up.
func settled(text []byte) []byte {
	for _, chance := range byChance {
		text = chance.found.ReplaceAll(text, []byte(chance.as))
	}
	return moment.ReplaceAllFunc(text, func(at []byte) []byte {
		t, err := time.Parse(time.RFC3339Nano, string(at))
		if err != nil || time.Since(t).Abs() > time.Hour {
			return at
		}
		return []byte("<now>")
	})
}

// completed sends a body with the version, and what its spec does not speak of, as
// they are on each server.
func completed(body map[string]any) func(answer) map[string]any {
	return func(before answer) map[string]any {
		sent := versioned(body)(before)
		was, _ := before.whole["spec"].(map[string]any)
		if spec, ok := body["spec"].(map[string]any); ok && was != nil {
			was = maps.Clone(was)
			maps.Copy(was, spec)
			sent = maps.Clone(sent)
			sent["spec"] = was
		}
		return sent
	}
}

// kind is how one asks for a kind's objects.
type kind struct {
	prefix, resource      string // /apis/apps/v1, deployments
	namespaced, hasStatus bool
}

func (k kind) path(namespace, name string) string {
	path := k.prefix
	if k.namespaced {
		path += "/namespaces/" + namespace
	}
	path += "/" + k.resource
	if name != "" {
		path += "/" + name
	}
	return path
}

// kindsOf returns the kinds of which a server keeps objects.
func kindsOf(config *rest.Config) (map[schema.GroupVersionKind]kind, error) {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	_, lists, err := client.ServerGroupsAndResources()
	if err != nil {
		return nil, err
	}
	kinds, status := map[schema.GroupVersionKind]kind{}, map[string]bool{}
	for _, list := range lists {
		for _, r := range list.APIResources {
			status[list.GroupVersion+" "+r.Name] = true
		}
	}
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		prefix := "/apis/" + list.GroupVersion
		if gv.Group == "" {
			prefix = "/api/" + gv.Version
		}
		for _, r := range list.APIResources {
			if !slices.Contains(r.Verbs, "delete") || strings.Contains(r.Name, "/") {
				continue
			}
			kinds[gv.WithKind(r.Kind)] = kind{
				prefix, r.Name, r.Namespaced, status[list.GroupVersion+" "+r.Name+"/status"]}
		}
	}
	return kinds, nil
}

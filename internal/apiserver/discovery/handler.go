package discovery

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/munnerz/goautoneg"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconcile/internal/apiserver/kinds"
)

// aggregatedType is the media type of all groups in one document,
// for requests and answers.
const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// document is one answer, made when the handler is. A path may have another
// one for clients that take the aggregated form.
type document struct {
	plain, aggregated []byte
	etag              string // of the aggregated form
}

// Handler returns a handler of /version, /api, /apis and the groups and
// versions below them. Everything else is 404.
func Handler(all []kinds.Kind) http.Handler {
	lists := versions(all)
	var core, groups []metav1.APIResourceList
	documents := map[string]document{"/version": {plain: encode(Version())}}
	for _, list := range lists {
		gv, _ := schema.ParseGroupVersion(list.GroupVersion)
		if gv.Group == "" {
			core = append(core, list)
			documents["/api/"+gv.Version] = document{plain: encode(list)}
		} else {
			groups = append(groups, list)
			documents["/apis/"+gv.String()] = document{plain: encode(list)}
		}
	}
	documents["/api"] = negotiable(coreVersions(core), core)
	named := groupList(groups)
	documents["/apis"] = negotiable(named, groups)
	for _, group := range named.Groups {
		group.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
		documents["/apis/"+group.Name] = document{plain: encode(group)}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d, ok := documents[strings.TrimSuffix(r.URL.Path, "/")]
		switch {
		case !ok:
			refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound,
				"the server could not find the requested resource")
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			refuse(w, http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed,
				"the server does not allow this method on the requested resource")
		default:
			d.serve(w, r)
		}
	})
}

func negotiable(plain any, lists []metav1.APIResourceList) document {
	aggregated := encode(aggregate(lists))
	return document{
		plain:      encode(plain),
		aggregated: aggregated,
		etag:       fmt.Sprintf("%q", fmt.Sprintf("%X", sha256.Sum256(aggregated))),
	}
}

// coreVersions returns the answer of /api, which is older than groups are.
func coreVersions(lists []metav1.APIResourceList) metav1.APIVersions {
	answer := metav1.APIVersions{
		TypeMeta:                   metav1.TypeMeta{Kind: "APIVersions"},
		Versions:                   []string{},
		ServerAddressByClientCIDRs: []metav1.ServerAddressByClientCIDR{},
	}
	for _, list := range lists {
		answer.Versions = append(answer.Versions, list.GroupVersion)
	}
	return answer
}

// groupList returns the answer of /apis. The first version of a group that the
// kinds name is the one that clients shall prefer.
func groupList(lists []metav1.APIResourceList) metav1.APIGroupList {
	answer := metav1.APIGroupList{
		TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"},
		Groups:   []metav1.APIGroup{},
	}
	for _, list := range lists {
		gv, _ := schema.ParseGroupVersion(list.GroupVersion)
		version := metav1.GroupVersionForDiscovery{
			GroupVersion: gv.String(), Version: gv.Version,
		}
		last := len(answer.Groups) - 1
		if last < 0 || answer.Groups[last].Name != gv.Group {
			answer.Groups = append(answer.Groups,
				metav1.APIGroup{Name: gv.Group, PreferredVersion: version})
			last++
		}
		answer.Groups[last].Versions = append(answer.Groups[last].Versions, version)
	}
	return answer
}

func (d document) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-cache, private")
	if d.aggregated == nil {
		write(w, "application/json", http.StatusOK, d.plain)
		return
	}
	w.Header().Set("Vary", "Accept")
	if !takesAggregated(r.Header.Get("Accept")) {
		write(w, "application/json", http.StatusOK, d.plain)
		return
	}
	w.Header().Set("ETag", d.etag)
	if strings.Contains(r.Header.Get("If-None-Match"), d.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	write(w, aggregatedType, http.StatusOK, d.aggregated)
}

// takesAggregated reports whether a client takes the aggregated form rather
// than the plain one.
func takesAggregated(accept string) bool {
	for _, a := range goautoneg.ParseAccept(accept) {
		if a.Params["as"] == "" {
			return false
		}
		if a.Params["g"] == "apidiscovery.k8s.io" && a.Params["v"] == "v2" &&
			a.Params["as"] == "APIGroupDiscoveryList" && a.SubType == "json" {
			return true
		}
	}
	return false
}

func refuse(w http.ResponseWriter, code int, reason metav1.StatusReason, message string) {
	write(w, "application/json", code, encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure,
		Message:  message,
		Reason:   reason,
		Details:  &metav1.StatusDetails{},
		Code:     int32(code),
	}))
}

func write(w http.ResponseWriter, contentType string, code int, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(code)
	_, _ = w.Write(body) // a client that does not listen has gone
}

// encode panics on values that JSON cannot hold; no document here contains any.
func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return append(data, '\n')
}

package apiserver

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/munnerz/goautoneg"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// An object or a list can be answered as one of these kinds in place of its
// own.
const (
	asTable       = "Table"
	asPartial     = "PartialObjectMetadata"
	asPartialList = "PartialObjectMetadataList"
)

// media says in what form an answer is written: JSON or YAML, of the object
// itself, of a table of its columns, or of its metadata.
type media struct {
	yaml   bool
	pretty bool
	as     string // "", or one of those above
	// version is that of meta.k8s.io where as is set: v1, or v1beta1, whose
	// tables and metadata are the same.
	version string
}

const acceptable = "only the following media types are accepted: " +
	"application/json, application/yaml"

// accepted returns the first of a client's wishes that can be fulfilled, or
// 406. Protobuf is never written: clients that ask for it take JSON as well.
func accepted(header string, pretty bool) (media, error) {
	if header == "" {
		return media{pretty: pretty}, nil
	}
	for _, wish := range goautoneg.ParseAccept(header) {
		if m, ok := fulfil(wish); ok {
			m.pretty = m.pretty || pretty
			return m, nil
		}
	}
	return media{}, refusal(http.StatusNotAcceptable,
		metav1.StatusReasonNotAcceptable, acceptable)
}

func fulfil(wish goautoneg.Accept) (media, bool) {
	m := media{
		as: wish.Params["as"], version: wish.Params["v"],
		pretty: wish.Params["pretty"] == "1",
	}
	switch wish.Type + "/" + wish.SubType {
	case runtime.ContentTypeJSON, "application/*", "*/*":
	case runtime.ContentTypeYAML:
		m.yaml = true
	default:
		return m, false
	}
	if stream := wish.Params["stream"]; stream != "" && stream != "watch" {
		return m, false
	}
	switch m.as {
	case "":
		return m, wish.Params["g"] == "" && m.version == ""
	case asTable, asPartial, asPartialList:
		return m, wish.Params["g"] == metav1.GroupName &&
			(m.version == "v1" || m.version == "v1beta1")
	}
	return m, false
}

// contentType returns the label of the answer.
func (m media) contentType() string {
	if m.yaml {
		return runtime.ContentTypeYAML
	}
	return runtime.ContentTypeJSON
}

// wantsPretty reports whether the answer should be indented: people with a
// browser or curl read it as it is.
func (c *call) wantsPretty() bool {
	if c.query.Has("pretty") {
		pretty, _ := strconv.ParseBool(c.query.Get("pretty"))
		return pretty
	}
	agent := c.r.UserAgent()
	return strings.HasPrefix(agent, "curl") || strings.HasPrefix(agent, "Wget") ||
		strings.HasPrefix(agent, "Mozilla/5.0")
}

package openapi

import (
	"io"
	"net/http"
	"strings"
)

// legacy is an OpenAPI v2 document that describes nothing. kubectl asks for it
// before it reads a List, or a kind that the server does not know, and gives up
// if there is none; a kind that is not in it, it does not check.
const legacy = `{"swagger":"2.0","info":{"title":"Kubernetes","version":"v1"},` +
	`"paths":{},"definitions":{}}`

// legacyProtobuf is the same document in protobuf, as gnostic-models' OpenAPIv2.proto
// has it. Each field is a byte that says which (8 times its number, plus 2), a byte
// with its length, and its content. A Document's fields here are swagger (1), info
// (2: title is 1, version is 2), and, without content, paths (8) and definitions (9).
const legacyProtobuf = "\x0a\x032.0" +
	"\x12\x10" + "\x0a\x0aKubernetes" + "\x12\x02v1" +
	"\x42\x00" + "\x4a\x00"

// legacyTypes are the media types of its protobuf form: the one that clients
// ask for, and the one that they are told (kube-openapi, pkg/handler).
const (
	legacyAsked = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
	legacyTold  = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
)

func serveLegacy(w http.ResponseWriter, r *http.Request) {
	text, media := legacy, "application/json"
	accept := r.Header.Get("Accept")
	if strings.Contains(accept, legacyAsked) || strings.Contains(accept, legacyTold) {
		text, media = legacyProtobuf, legacyTold
	}
	w.Header().Add("Vary", "Accept")
	w.Header().Set("Content-Type", media)
	io.WriteString(w, text)
}

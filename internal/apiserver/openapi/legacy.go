package openapi

import (
	"net/http"
	"strings"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"
)

// legacy is an OpenAPI v2 document that describes nothing. kubectl asks for it
// before it reads a List, or a kind that the server does not know, and gives up
// if there is none; a kind that is not in it, it does not check.
const legacy = `{"swagger":"2.0","info":{"title":"Kubernetes","version":"v1"},` +
	`"paths":{},"definitions":{}}`

// legacyTypes are the media types of its protobuf form: the one that clients
// ask for, and the one that they are told (kube-openapi, pkg/handler).
const (
	legacyAsked = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
	legacyTold  = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
)

func serveLegacy(w http.ResponseWriter, r *http.Request) {
	text, media := []byte(legacy), "application/json"
	accept := r.Header.Get("Accept")
	if strings.Contains(accept, legacyAsked) || strings.Contains(accept, legacyTold) {
		text, media = legacyProtobuf(), legacyTold
	}
	w.Header().Add("Vary", "Accept")
	w.Header().Set("Content-Type", media)
	w.Write(text)
}

func legacyProtobuf() []byte {
	document, err := openapi_v2.ParseDocument([]byte(legacy))
	if err != nil {
		panic(err) // it is a constant
	}
	text, err := proto.Marshal(document)
	if err != nil {
		panic(err)
	}
	return text
}

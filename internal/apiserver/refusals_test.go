package apiserver_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Codes, reasons, details and words are Kubernetes', taken from its own
// handlers and admission: kubectl shows the words, programs look at the rest.
var refusals = map[string]struct {
	request
	want string // the Status, but for what all have in common
}{
	"a path with too much in it": {
		request{method: "GET", path: pods + "/web/status/more"},
		`{"message":"the server could not find the requested resource","reason":"NotFound","details":{},"code":404}`,
	},
	"an unknown resource": {
		request{method: "GET", path: "/api/v1/namespaces/default/gadgets"},
		`{"message":"the server could not find the requested resource","reason":"NotFound","details":{},"code":404}`,
	},
	"an unknown object": {
		request{method: "GET", path: pods + "/none"},
		`{"message":"pods \"none\" not found","reason":"NotFound","details":{"name":"none","kind":"pods"},"code":404}`,
	},
	"an unknown object of a group": {
		request{method: "DELETE", path: deployments + "/none"},
		`{"message":"deployments.apps \"none\" not found","reason":"NotFound",
		  "details":{"name":"none","group":"apps","kind":"deployments"},"code":404}`,
	},
	"a PUT of an unknown object": {
		request{method: "PUT", path: pods + "/none", body: aPod("none")},
		`{"message":"pods \"none\" not found","reason":"NotFound","details":{"name":"none","kind":"pods"},"code":404}`,
	},
	"a namespaced object without a namespace": {
		request{method: "GET", path: "/api/v1/pods/web"},
		`{"message":"the server could not find the requested resource","reason":"NotFound","details":{},"code":404}`,
	},
	"an object of the cluster in a namespace": {
		request{method: "GET", path: "/api/v1/namespaces/default/nodes"},
		`{"message":"the server could not find the requested resource","reason":"NotFound","details":{},"code":404}`,
	},
	"a method that a collection does not know": {
		request{method: "PUT", path: pods},
		`{"message":"the server does not allow this method on the requested resource","reason":"MethodNotAllowed","details":{},"code":405}`,
	},
	"a method that an object does not know": {
		request{method: "POST", path: pods + "/web"},
		`{"message":"the server does not allow this method on the requested resource","reason":"MethodNotAllowed","details":{},"code":405}`,
	},
	"a namespace that is not there": {
		request{method: "POST", path: "/api/v1/namespaces/none/pods", body: aPod("a")},
		`{"message":"namespaces \"none\" not found","reason":"NotFound","details":{"name":"none","kind":"namespaces"},"code":404}`,
	},
	"a PUT that names no version of a kind that wants one": {
		request{method: "PUT", path: "/apis/coordination.k8s.io/v1/namespaces/default/leases/lease",
			body: `{"metadata":{"name":"lease"},"spec":{"holderIdentity":"b"}}`},
		`{"message":"leases.coordination.k8s.io \"lease\" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update",
		  "reason":"Invalid","details":{"name":"lease","group":"coordination.k8s.io","kind":"leases","causes":[
		    {"reason":"FieldValueInvalid","message":"Invalid value: 0: must be specified for an update","field":"metadata.resourceVersion"}]},"code":422}`,
	},
	"a name that is taken": {
		request{method: "POST", path: pods, body: aPod("web")},
		`{"message":"pods \"web\" already exists","reason":"AlreadyExists","details":{"name":"web","kind":"pods"},"code":409}`,
	},
	"no name": {
		request{method: "POST", path: pods, body: aPod("")},
		`{"message":"Pod \"\" is invalid: metadata.name: Required value: name or generateName is required",
		  "reason":"Invalid","details":{"kind":"Pod","causes":[
		    {"reason":"FieldValueRequired","message":"Required value: name or generateName is required","field":"metadata.name"}]},"code":422}`,
	},
	"a stale version": {
		request{method: "PUT", path: pods + "/web", body: `{"metadata":{"name":"web","resourceVersion":"1"}}`},
		`{"message":"Operation cannot be fulfilled on pods \"web\": the object has been modified; please apply your changes to the latest version and try again",
		  "reason":"Conflict","details":{"name":"web","kind":"pods"},"code":409}`,
	},
	"a patch of a stale version": {
		request{method: "PATCH", path: pods + "/web", body: `{"metadata":{"resourceVersion":"1"}}`, contentType: merge},
		`{"message":"Operation cannot be fulfilled on pods \"web\": the object has been modified; please apply your changes to the latest version and try again",
		  "reason":"Conflict","details":{"name":"web","kind":"pods"},"code":409}`,
	},
	"a version on create": {
		request{method: "POST", path: pods, body: `{"metadata":{"name":"a","resourceVersion":"1"}}`},
		`{"message":"resourceVersion should not be set on objects to be created","code":500}`,
	},
	"a body that is too big": {
		request{method: "POST", path: pods, body: strings.Repeat("x", 3<<20+1)},
		`{"message":"Request entity too large: limit is 3145728","reason":"RequestEntityTooLarge","code":413}`,
	},
	"a version that is none": {
		request{method: "GET", path: pods + "?resourceVersion=x"},
		`{"message":"invalid resource version: resourceVersion: Invalid value: \"x\": strconv.ParseUint: parsing \"x\": invalid syntax","reason":"BadRequest","code":400}`,
	},
	"a version of the future": {
		request{method: "GET", path: pods + "?resourceVersion=99"},
		`{"message":"Timeout: Too large resource version: 99, current: 5","reason":"Timeout",
		  "details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504}`,
	},
	"exactly a version of the past": {
		request{method: "GET", path: pods + "?resourceVersion=1&resourceVersionMatch=Exact"},
		`{"message":"The resourceVersion for the provided list is too old.","reason":"Expired","code":410}`,
	},
	"a continue token that is none": {
		request{method: "GET", path: pods + "?continue=x"},
		`{"message":"invalid continue token: continue key is not valid: illegal base64 data at input byte 0","reason":"BadRequest","code":400}`,
	},
	"a namespace that must not go": {
		request{method: "DELETE", path: "/api/v1/namespaces/default"},
		`{"message":"namespaces \"default\" is forbidden: this namespace may not be deleted","reason":"Forbidden",
		  "details":{"name":"default","kind":"namespaces"},"code":403}`,
	},
	"another uid": {
		request{method: "DELETE", path: pods + "/web", body: `{"preconditions":{"uid":"x"}}`},
		`{"message":"Operation cannot be fulfilled on Pod \"web\": the UID in the precondition (x) does not match the UID in record (UID). The object might have been deleted and then recreated",
		  "reason":"Conflict","details":{"name":"web","kind":"Pod"},"code":409}`,
	},
	"replicas below zero": {
		request{method: "PATCH", path: deployments + "/web/scale", body: `{"spec":{"replicas":-1}}`, contentType: merge},
		`{"message":"Scale.autoscaling \"web\" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0","reason":"Invalid",
		  "details":{"name":"web","group":"autoscaling","kind":"Scale","causes":[
		    {"reason":"FieldValueInvalid","message":"Invalid value: -1: must be greater than or equal to 0","field":"spec.replicas"}]},"code":422}`,
	},
	"logs where nothing runs": {
		request{method: "GET", path: pods + "/web/log"},
		`{"message":"nothing runs containers here, so there is no log of them","reason":"NotImplemented","code":501}`,
	},
}

func TestRefusalsAreThoseOfKubernetes(t *testing.T) {
	a := newAPI(t)
	made := a.post(pods, aPod("web")).pod()
	a.send(request{method: "POST", path: deployments,
		body: aDeployment("web"), contentType: "application/yaml"})
	a.post("/apis/coordination.k8s.io/v1/namespaces/default/leases", `{"metadata":{"name":"lease"}}`)
	for name, test := range refusals {
		t.Run(name, func(t *testing.T) {
			a := &api{t, a.store, a.handler}
			got := a.send(test.request)
			want := strings.ReplaceAll(test.want, "(UID)", "("+string(made.UID)+")")
			want = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",` +
				want[1:]
			assert.JSONEq(t, want, got.body)
			assert.Equal(t, "application/json", got.header.Get("Content-Type"))
			assert.EqualValues(t, got.code, got.refusal().Code)
		})
	}
}

func TestAPathThatIsNoAPIsIsNotFound(t *testing.T) {
	for _, path := range []string{"/nowhere", "/apis/example.com/v1/gadgets"} {
		got := newAPI(t).get(path)
		assert.Equal(t, http.StatusNotFound, got.code, path)
		assert.Equal(t, "404 page not found\n", got.body)
	}
}

func TestWhatIsAllowedIsSaid(t *testing.T) {
	a := newAPI(t)
	for path, want := range map[string]string{
		pods:                   "DELETE, GET, POST",
		pods + "/web":          "DELETE, GET, PATCH, PUT",
		pods + "/web/eviction": "POST",
		"/api/v1/pods":         "GET",
		"/api/v1/namespaces":   "GET, POST",
		"/apis/authentication.k8s.io/v1/selfsubjectreviews": "POST",
	} {
		got := a.send(request{method: "OPTIONS", path: path})
		assert.Equal(t, http.StatusMethodNotAllowed, got.code, path)
		assert.Equal(t, want, got.header.Get("Allow"), path)
	}
}

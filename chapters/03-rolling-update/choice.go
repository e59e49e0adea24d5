package rollingupdate

import (
	"net"
	"slices"
	"strconv"

	discoveryv1 "k8s.io/api/discovery/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// chosen returns the endpoints that may be asked at a port: all that are ready
// or, if none is, those that can still answer though they were told to end. A
// connection to one of these may be cut; without any it certainly fails.
//
//book:exercise 3e
func chosen(found []controlloop.Object, port string) []string {
	var ready, leaving []string
	for _, obj := range found {
		slice := obj.(*discoveryv1.EndpointSlice)
		number, ok := numberOf(slice, port)
		if !ok {
			continue
		}
		for _, e := range slice.Endpoints {
			address := net.JoinHostPort(e.Addresses[0], number)
			switch c := e.Conditions; {
			case is(c.Ready, true):
				ready = append(ready, address)
			case is(c.Serving, true) && is(c.Terminating, false):
				leaving = append(leaving, address)
			}
		}
	}
	if len(ready) == 0 {
		return leaving
	}
	return ready
}

// is returns the value of a condition. A slice that was written by
// hand may leave it out.
func is(condition *bool, unsaid bool) bool {
	if condition == nil {
		return unsaid
	}
	return *condition
}

func numberOf(slice *discoveryv1.EndpointSlice, name string) (string, bool) {
	at := slices.IndexFunc(slice.Ports, func(p discoveryv1.EndpointPort) bool {
		return *p.Name == name && p.Port != nil
	})
	if at < 0 {
		return "", false
	}
	return strconv.Itoa(int(*slice.Ports[at].Port)), true
}

package openapi

import (
	"k8s.io/kube-openapi/pkg/validation/spec"
)

func addMarkers(schema *spec.Schema, model string) {}

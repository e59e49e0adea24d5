package rules_test

import "testing"

// Of several limits each is filled in, the last as the first.
func TestALimitRangeHasDefaultsForContainers(t *testing.T) {
	_, stored := newStore(t, decode(t, `
apiVersion: v1
kind: LimitRange
metadata: {name: usual}
spec:
  limits:
  - {type: Container, max: {cpu: "1"}}
  - {type: Pod, max: {cpu: "4"}}
  - {type: Container, min: {memory: 10Mi}, max: {memory: 1Gi}, defaultRequest: {memory: 20Mi}}`))
	assertHolds(t, `
spec:
  limits:
  - {type: Container, max: {cpu: "1"}, default: {cpu: "1"}, defaultRequest: {cpu: "1"}}
  - {type: Pod, max: {cpu: "4"}}
  - {type: Container, min: {memory: 10Mi}, max: {memory: 1Gi}, default: {memory: 1Gi}, defaultRequest: {memory: 20Mi}}`, stored)
}

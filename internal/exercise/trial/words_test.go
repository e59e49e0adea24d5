package trial_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/exercise/trial"
)

func TestWordsSayTheClaimOfATest(t *testing.T) {
	for name, words := range map[string]string{
		"TestQueueHandsOutAKeyOnce":                   "Queue hands out a key once",
		"TestDeltaFIFOMakesOneOfTwoDeletions":         "DeltaFIFO makes one of two deletions",
		"TestJudgeKnowsAnOwnerByUIDAndNotByName":      "Judge knows an owner by UID and not by name",
		"TestRecreateEndsTheOldPodsOfEveryReplicaSet": "Recreate ends the old Pods of every ReplicaSet",
		"TestReplicaSetsAreResizedInProportion":       "ReplicaSets are resized in proportion",
		"TestADeploymentOfNoneHasNone":                "A Deployment of none has none",
		"TestAPodWaits":                               "A Pod waits",
		"TestPodIPsAreGivenBack":                      "Pod IPs are given back",
		"TestAServiceMayWantThoseThatAreNotReadyToo":  "A Service may want those that are not ready too",
		"TestUIDsAPodHadBefore":                       "UIDs a Pod had before",
		"TestPlan":                                    "Plan",
		"TestPodiumIsNoPod":                           "Podium is no Pod",
		"TestTemplateHashIsKubernetesOwn":             "Template hash is Kubernetes own",
	} {
		assert.Equal(t, words, trial.Words(name))
	}
}

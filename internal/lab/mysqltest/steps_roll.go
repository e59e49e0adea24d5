package mysqltest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
)

func (u *User) patch(patch string) {
	u.Ok("patch", "statefulset", "mysql", "--type=strategic", "-p", patch)
}

func (u *User) setImage(image string) {
	u.patch(fmt.Sprintf(`{"spec":{"template":{"spec":{"containers":[`+
		`{"name":"mysql","image":%q}]}}}}`, image))
}

// images returns those of the servers, by ordinal.
func (u *User) images() map[int]string {
	all := map[int]string{}
	for line := range strings.Lines(u.Ok("get", "pods", "-l", "app=mysql", "-o",
		`jsonpath={range .items[*]}{.metadata.name} `+
			`{.spec.containers[?(@.name=="mysql")].image}{"\n"}{end}`)) {
		var ordinal int
		var image string
		if _, err := fmt.Sscanf(line, "mysql-%d %s", &ordinal, &image); err == nil {
			all[ordinal] = image
		}
	}
	return all
}

func (u *User) rollImage() {
	u.setImage("mysql:5.7.23")
	var order []int
	u.Until("all have the new image", func() bool {
		for ordinal, image := range u.images() {
			if image == "mysql:5.7.23" && !slices.Contains(order, ordinal) {
				order = append(order, ordinal)
			}
		}
		return len(order) == 3 && u.areReady(3)
	})
	assert.Equal(u, []int{2, 1, 0}, order)
	u.insert(1)
	u.caughtUp(3)
}

func (u *User) rollPartition() {
	u.patch(`{"spec":{"updateStrategy":{"type":"RollingUpdate",` +
		`"rollingUpdate":{"partition":2}}}}`)
	old := map[int]string{0: "mysql:5.7.23", 1: "mysql:5.7.23", 2: "mysql:5.7.24"}
	u.setImage("mysql:5.7.24")
	u.Until("the highest has the new image", func() bool {
		return u.images()[2] == "mysql:5.7.24" && u.areReady(3)
	})
	u.stays("the others keep the old one", time.Minute, func() bool {
		return maps.Equal(old, u.images())
	})
	u.Ok("delete", "pod", pod(1))
	u.Until("the one in the middle is back", func() bool { return u.areReady(3) })
	assert.Equal(u, old, u.images(), "below the partition it is the old one")
	u.caughtUp(3)
}

func (u *User) rollBroken() {
	u.patch(`{"spec":{"updateStrategy":{"rollingUpdate":{"partition":0}}}}`)
	u.Until("all are ready", func() bool {
		return u.images()[0] == "mysql:5.7.24" && u.areReady(3)
	})
	u.setImage("mysql:5.7.99")
	u.Until("the highest cannot start", func() bool {
		return strings.Contains(u.statuses()[2], "ImagePull")
	})
	u.stays("the others go on as they are", time.Minute, func() bool {
		return u.images()[1] == "mysql:5.7.24" && u.areReady(2)
	})
	u.insert(1)
	u.setImage("mysql:5.7.24")
	u.Ok("delete", "pod", pod(2))
	u.Until("all are ready", func() bool { return u.areReady(3) })
	u.caughtUp(3)
}

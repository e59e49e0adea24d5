package columns

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/utils/ptr"
)

// age returns how long ago t was: "19s", "5m3s", "12d".
func age(t metav1.Time, now time.Time) string {
	if t.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(now.Sub(t.Time))
}

func microAge(t metav1.MicroTime, now time.Time) string {
	return age(metav1.Time(t), now)
}

// containerCells returns the names and the images of a Pod's containers.
func containerCells(containers []corev1.Container) (names, images string) {
	var n, i []string
	for _, c := range containers {
		n, i = append(n, c.Name), append(i, c.Image)
	}
	return strings.Join(n, ","), strings.Join(i, ",")
}

var (
	containersColumn = wide(text("Containers",
		"Names of each container in the template."))
	imagesColumn = wide(text("Images",
		"Images referenced by each container in the template."))
)

// ready returns how many are ready, of those that shall be: "2/3".
func ready(have int32, want *int32) string {
	return fmt.Sprintf("%d/%d", have, ptr.Deref(want, 0))
}

// shown is how many elements of a list a cell shows.
const shown = 3

// shorten shows the first elements of a list, and how many more there are.
func shorten(list []string) string {
	if len(list) <= shown {
		return strings.Join(list, ",")
	}
	return fmt.Sprintf("%s + %d more...",
		strings.Join(list[:shown], ","), len(list)-shown)
}

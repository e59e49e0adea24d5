package apiserver_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"reconcile/internal/apiserver"
)

func aConfigMap(n, size int) *corev1.ConfigMap {
	c := &corev1.ConfigMap{Data: map[string]string{"x": strings.Repeat("x", size)}}
	c.Name = fmt.Sprint("c", n)
	return c
}

func TestAnObjectIsWrittenOnceForAllWhoWatchIt(t *testing.T) {
	encodings := apiserver.NewEncodings(1 << 20)
	object := aConfigMap(1, 10)
	first, err := apiserver.EncodingOf(encodings, object)
	require.NoError(t, err)
	want, err := json.Marshal(object)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(first))
	again, err := apiserver.EncodingOf(encodings, object)
	require.NoError(t, err)
	assert.Same(t, &first[0], &again[0])
	other, err := apiserver.EncodingOf(encodings, object.DeepCopy())
	require.NoError(t, err)
	assert.NotSame(t, &first[0], &other[0], "a copy may differ by now")
}

func TestEncodingsAreKeptWithinTheirBudget(t *testing.T) {
	const budget = 100_000
	encodings := apiserver.NewEncodings(budget)
	var done sync.WaitGroup
	for w := range 8 {
		done.Go(func() {
			for n := range 200 {
				object := aConfigMap(n, 1000)
				text, err := apiserver.EncodingOf(encodings, object)
				assert.NoError(t, err)
				assert.Contains(t, string(text), object.Name, w)
			}
		})
	}
	done.Wait()
	objects, bytes := encodings.Kept()
	assert.LessOrEqual(t, bytes, budget)
	assert.Greater(t, bytes, budget-2000, "and use it")
	assert.InDelta(t, bytes/1020, objects, 5, "what is counted is what is kept")
	_, err := apiserver.EncodingOf(encodings, aConfigMap(0, 2*budget))
	assert.NoError(t, err, "what is bigger than the budget is written all the same")
}

// A text of a few bytes keeps the whole object that it was made of.
func TestAnObjectThatAShortTextKeepsIsCounted(t *testing.T) {
	encodings := apiserver.NewEncodings(100_000)
	for n := range 200 {
		require.NoError(t, encodings.Shared(aConfigMap(n, 1000)).CacheEncode("short",
			func(_ runtime.Object, w io.Writer) error {
				_, err := io.WriteString(w, "x")
				return err
			}, io.Discard))
	}
	objects, bytes := encodings.Kept()
	assert.InDelta(t, 100_000/1000, objects, 10)
	assert.Greater(t, bytes, 90_000)
}

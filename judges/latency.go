package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Latencies are what requests take, in milliseconds, and how late a watch is:
// from the answer to a write to the moment in which the watch has it.
type Latencies struct {
	Requests int    `json:"requests"` // of each sort
	Get      Spread `json:"get"`
	Update   Spread `json:"update"`
	Late     Spread `json:"late"`
}

// Spread is the half and the ninety-ninth of a hundred.
type Spread struct {
	Median float64 `json:"median"`
	Worst  float64 `json:"worst"`
}

func (l Latencies) String() string {
	return fmt.Sprintf("read %s, write %s, a watch is late by %s", l.Get, l.Update, l.Late)
}

func (s Spread) String() string { return fmt.Sprintf("%g (%g) ms", s.Median, s.Worst) }

// latencies writes an object again and again, one request after the other, and
// watches it.
func latencies(ctx context.Context, client kubernetes.Interface) (l Latencies, err error) {
	l.Requests = 300
	maps := client.CoreV1().ConfigMaps("default")
	object, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "measured"}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return l, err
	}
	if err != nil {
		if object, err = maps.Get(ctx, "measured", metav1.GetOptions{}); err != nil {
			return l, err
		}
	}
	stream, err := maps.Watch(ctx, metav1.ListOptions{
		FieldSelector: "metadata.name=measured", ResourceVersion: object.ResourceVersion})
	if err != nil {
		return l, err
	}
	defer stream.Stop()
	var gets, updates, lates []time.Duration
	for n := range l.Requests {
		begun := time.Now()
		if object, err = maps.Get(ctx, "measured", metav1.GetOptions{}); err != nil {
			return l, err
		}
		gets = append(gets, time.Since(begun))
		object.Data = map[string]string{"n": fmt.Sprint(n)}
		begun = time.Now()
		if object, err = maps.Update(ctx, object, metav1.UpdateOptions{}); err != nil {
			return l, err
		}
		answered := time.Now()
		updates = append(updates, answered.Sub(begun))
		for event := range stream.ResultChan() {
			if seen, ok := event.Object.(*corev1.ConfigMap); ok && seen.ResourceVersion == object.ResourceVersion {
				break
			}
		}
		lates = append(lates, time.Since(answered))
	}
	l.Get, l.Update, l.Late = spread(gets), spread(updates), spread(lates)
	return l, maps.Delete(ctx, "measured", metav1.DeleteOptions{})
}

func spread(all []time.Duration) Spread {
	slices.Sort(all)
	in := func(d time.Duration) float64 { return float64(d.Round(10*time.Microsecond).Microseconds()) / 1000 }
	return Spread{in(all[len(all)/2]), in(all[len(all)*99/100])}
}

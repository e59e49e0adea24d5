package apiserver

import (
	"context"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// reviews answers questions that are asked by creating an object.
func (s *server) reviews() {
	question(s.whoAmI).toCollection(s,
		authenticationv1.SchemeGroupVersion.WithResource("selfsubjectreviews"), false)
	question(mayI).toCollection(s,
		authorizationv1.SchemeGroupVersion.WithResource("selfsubjectaccessreviews"), false)
	question(whatMayI).toCollection(s,
		authorizationv1.SchemeGroupVersion.WithResource("selfsubjectrulesreviews"), false)
}

// question returns what answers questions of type T, in place.
func question[T any, P interface {
	*T
	runtime.Object
}](answer func(P)) posted[P] {
	return posted[P]{
		new: func() P { return new(T) },
		do: func(_ context.Context, _ string, sent P, _ bool) (runtime.Object, error) {
			answer(sent)
			return sent, nil
		},
	}
}

func (s *server) whoAmI(review *authenticationv1.SelfSubjectReview) {
	review.ObjectMeta = metav1.ObjectMeta{
		CreationTimestamp: metav1.NewTime(time.Now()).Rfc3339Copy()}
	review.Status.UserInfo = authenticationv1.UserInfo{
		Username: s.user, Groups: []string{"system:masters", "system:authenticated"},
	}
}

// mayI answers yes: here every user may do everything.
func mayI(review *authorizationv1.SelfSubjectAccessReview) {
	review.Status = authorizationv1.SubjectAccessReviewStatus{
		Allowed: true, Reason: "everything is allowed",
	}
}

func whatMayI(review *authorizationv1.SelfSubjectRulesReview) {
	all := []string{"*"}
	review.Status = authorizationv1.SubjectRulesReviewStatus{
		ResourceRules: []authorizationv1.ResourceRule{
			{Verbs: all, APIGroups: all, Resources: all}},
		NonResourceRules: []authorizationv1.NonResourceRule{
			{Verbs: all, NonResourceURLs: all}},
	}
}

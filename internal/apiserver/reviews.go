package apiserver

import (
	"net/http"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// review answers a question that is asked by creating an object, and never
// stored.
type review struct {
	kind   schema.GroupVersionKind
	new    func() runtime.Object
	answer func(s *server, question runtime.Object)
}

var reviews = map[schema.GroupVersionResource]review{
	authenticationv1.SchemeGroupVersion.WithResource("selfsubjectreviews"): {
		kind:   authenticationv1.SchemeGroupVersion.WithKind("SelfSubjectReview"),
		new:    func() runtime.Object { return &authenticationv1.SelfSubjectReview{} },
		answer: (*server).whoAmI,
	},
	authorizationv1.SchemeGroupVersion.WithResource("selfsubjectaccessreviews"): {
		kind:   authorizationv1.SchemeGroupVersion.WithKind("SelfSubjectAccessReview"),
		new:    func() runtime.Object { return &authorizationv1.SelfSubjectAccessReview{} },
		answer: (*server).mayI,
	},
	authorizationv1.SchemeGroupVersion.WithResource("selfsubjectrulesreviews"): {
		kind:   authorizationv1.SchemeGroupVersion.WithKind("SelfSubjectRulesReview"),
		new:    func() runtime.Object { return &authorizationv1.SelfSubjectRulesReview{} },
		answer: (*server).whatMayI,
	},
}

func (s *server) whoAmI(question runtime.Object) {
	review := question.(*authenticationv1.SelfSubjectReview)
	review.CreationTimestamp = metav1.NewTime(time.Now()).Rfc3339Copy()
	review.Status.UserInfo = authenticationv1.UserInfo{
		Username: s.user, Groups: []string{"system:masters", "system:authenticated"},
	}
}

// mayI answers yes: here every user may do everything.
func (s *server) mayI(question runtime.Object) {
	review := question.(*authorizationv1.SelfSubjectAccessReview)
	review.Status = authorizationv1.SubjectAccessReviewStatus{
		Allowed: true, Reason: "everything is allowed",
	}
}

func (s *server) whatMayI(question runtime.Object) {
	all := []string{"*"}
	review := question.(*authorizationv1.SelfSubjectRulesReview)
	review.Status = authorizationv1.SubjectRulesReviewStatus{
		ResourceRules: []authorizationv1.ResourceRule{
			{Verbs: all, APIGroups: all, Resources: all}},
		NonResourceRules: []authorizationv1.NonResourceRule{
			{Verbs: all, NonResourceURLs: all}},
	}
}

func (s *server) review(w http.ResponseWriter, r *http.Request, review review) error {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return apierrors.NewMethodNotSupported(schema.GroupResource{
			Group: review.kind.Group, Resource: review.kind.Kind}, r.Method)
	}
	c := &call{
		server: s, w: w, r: r, query: r.URL.Query(),
		resource: &resource{},
	}
	return c.run(func(c *call) (reply, error) {
		opts, err := c.createOptions()
		if err != nil {
			return reply{}, err
		}
		question := review.new()
		if err := c.decode(question, review.kind, opts.validation); err != nil {
			return reply{}, err
		}
		review.answer(s, question)
		question.GetObjectKind().SetGroupVersionKind(review.kind)
		return reply{http.StatusCreated, question}, nil
	})
}

package streams

import (
	"net/url"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// truth reads a boolean parameter as Kubernetes does: every text that is not
// false is true (apimachinery: runtime.Convert_Slice_string_To_bool).
func truth(query url.Values, name string) bool {
	values, given := query[name]
	if !given || len(values) == 0 {
		return false
	}
	return values[0] != "false" && values[0] != "0"
}

// logOptions reads the options of a request for a log.
func logOptions(pod *corev1.Pod, query url.Values) (*corev1.PodLogOptions, error) {
	opts := &corev1.PodLogOptions{
		Container:  query.Get("container"),
		Follow:     truth(query, "follow"),
		Previous:   truth(query, "previous"),
		Timestamps: truth(query, "timestamps"),
	}
	for name, to := range map[string]**int64{
		"tailLines": &opts.TailLines, "limitBytes": &opts.LimitBytes,
		"sinceSeconds": &opts.SinceSeconds,
	} {
		if err := number(query, name, to); err != nil {
			return nil, err
		}
	}
	if since := query.Get("sinceTime"); since != "" {
		at, err := time.Parse(time.RFC3339, since)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		opts.SinceTime = &metav1.Time{Time: at}
	}
	if stream := query.Get("stream"); stream != "" {
		opts.Stream = &stream
	}
	if errs := checkLog(opts); len(errs) > 0 {
		return nil, apierrors.NewInvalid(
			corev1.SchemeGroupVersion.WithKind("PodLogOptions").GroupKind(),
			pod.Name, errs)
	}
	return opts, nil
}

func number(query url.Values, name string, to **int64) error {
	text := query.Get(name)
	if text == "" {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	*to = &n
	return nil
}

// checkLog returns the options that cannot be asked for (Kubernetes:
// pkg/apis/core/ validation, ValidatePodLogOptions, with the gate
// PodLogsQuerySplitStreams).
func checkLog(opts *corev1.PodLogOptions) field.ErrorList {
	var errs field.ErrorList
	below := func(name string, value *int64, least int64, detail string) {
		if value != nil && *value < least {
			errs = append(errs, field.Invalid(field.NewPath(name), *value, detail))
		}
	}
	below("tailLines", opts.TailLines, 0, "must be greater than or equal to 0")
	below("limitBytes", opts.LimitBytes, 1, "must be greater than 0")
	if opts.SinceSeconds != nil && opts.SinceTime != nil {
		errs = append(errs, field.Forbidden(field.NewPath(""),
			"at most one of `sinceTime` or `sinceSeconds` may be specified"))
	} else {
		below("sinceSeconds", opts.SinceSeconds, 1, "must be greater than 0")
	}
	return append(errs, checkStream(opts)...)
}

func checkStream(opts *corev1.PodLogOptions) field.ErrorList {
	if opts.Stream == nil || *opts.Stream == corev1.LogStreamAll {
		return nil
	}
	known := []string{
		corev1.LogStreamAll, corev1.LogStreamStderr, corev1.LogStreamStdout,
	}
	switch {
	case *opts.Stream != corev1.LogStreamStdout &&
		*opts.Stream != corev1.LogStreamStderr:
		return field.ErrorList{
			field.NotSupported(field.NewPath("stream"), *opts.Stream, known),
		}
	case opts.TailLines != nil:
		return field.ErrorList{field.Forbidden(field.NewPath(""),
			"`tailLines` and specific `stream` are mutually exclusive for now")}
	}
	return nil
}

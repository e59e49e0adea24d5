package rules

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

var dataPath = field.NewPath("data")

// ConfigMap returns the rules of core/v1 ConfigMap.
func ConfigMap() controlloop.Rules {
	return typed[*corev1.ConfigMap]{
		check: checkConfigMap,
		change: func(c, old *corev1.ConfigMap) field.ErrorList {
			return slices.Concat(
				sealed(old.Immutable, c.Immutable, c.Data, old.Data, dataPath),
				sealed(old.Immutable, old.Immutable, c.BinaryData, old.BinaryData,
					field.NewPath("binaryData")))
		},
	}.rules()
}

func checkConfigMap(c *corev1.ConfigMap) field.ErrorList {
	var errs field.ErrorList
	size := 0
	for _, key := range slices.Sorted(maps.Keys(c.Data)) {
		at := dataPath.Key(key)
		errs = append(errs, invalid(key, at, utilvalidation.IsConfigMapKey(key))...)
		if _, twice := c.BinaryData[key]; twice {
			errs = append(errs, field.Invalid(
				at, key, "duplicate of key present in binaryData"))
		}
		size += len(c.Data[key])
	}
	for _, key := range slices.Sorted(maps.Keys(c.BinaryData)) {
		errs = append(errs, invalid(key, field.NewPath("binaryData").Key(key),
			utilvalidation.IsConfigMapKey(key))...)
		size += len(c.BinaryData[key])
	}
	if size > corev1.MaxSecretSize {
		errs = append(errs, field.TooLong(
			field.NewPath(""), "", corev1.MaxSecretSize))
	}
	return errs
}

// Secret returns the rules of core/v1 Secret.
func Secret() controlloop.Rules {
	return typed[*corev1.Secret]{
		fill:   defaultSecret,
		check:  checkSecret,
		change: changeSecret,
	}.rules()
}

// defaultSecret moves values written as text into the field that is read.
func defaultSecret(s *corev1.Secret) {
	controlloop.Fill(&s.Type, corev1.SecretTypeOpaque)
	if len(s.StringData) == 0 {
		return
	}
	if s.Data == nil {
		s.Data = map[string][]byte{}
	}
	for key, text := range s.StringData {
		s.Data[key] = []byte(text)
	}
	s.StringData = nil
}

func checkSecret(s *corev1.Secret) field.ErrorList {
	var errs field.ErrorList
	size := 0
	for _, key := range slices.Sorted(maps.Keys(s.Data)) {
		errs = append(errs, invalid(key, dataPath.Key(key),
			utilvalidation.IsConfigMapKey(key))...)
		size += len(s.Data[key])
	}
	if size > corev1.MaxSecretSize {
		errs = append(errs, field.TooLong(dataPath, "", corev1.MaxSecretSize))
	}
	return append(errs, checkSecretType(s)...)
}

// checkSecretType checks that the keys that a type promises are there.
func checkSecretType(s *corev1.Secret) field.ErrorList {
	switch s.Type {
	case corev1.SecretTypeServiceAccountToken:
		if s.Annotations[corev1.ServiceAccountNameKey] == "" {
			return field.ErrorList{field.Required(
				field.NewPath("metadata", "annotations").
					Key(corev1.ServiceAccountNameKey), "")}
		}
	case corev1.SecretTypeDockercfg:
		return checkJSON(s, corev1.DockerConfigKey)
	case corev1.SecretTypeDockerConfigJson:
		return checkJSON(s, corev1.DockerConfigJsonKey)
	case corev1.SecretTypeBasicAuth:
		_, user := s.Data[corev1.BasicAuthUsernameKey]
		_, password := s.Data[corev1.BasicAuthPasswordKey]
		if !user && !password {
			return needs(s, corev1.BasicAuthUsernameKey, corev1.BasicAuthPasswordKey)
		}
	case corev1.SecretTypeSSHAuth:
		if len(s.Data[corev1.SSHAuthPrivateKey]) == 0 {
			return field.ErrorList{
				field.Required(dataPath.Key(corev1.SSHAuthPrivateKey), "")}
		}
	case corev1.SecretTypeTLS:
		return needs(s, corev1.TLSCertKey, corev1.TLSPrivateKeyKey)
	}
	return nil
}

func needs(s *corev1.Secret, keys ...string) field.ErrorList {
	var errs field.ErrorList
	for _, key := range keys {
		if _, ok := s.Data[key]; !ok {
			errs = append(errs, field.Required(dataPath.Key(key), ""))
		}
	}
	return errs
}

func checkJSON(s *corev1.Secret, key string) field.ErrorList {
	if errs := needs(s, key); errs != nil {
		return errs
	}
	if err := json.Unmarshal(s.Data[key], &map[string]any{}); err != nil {
		return field.ErrorList{field.Invalid(
			dataPath.Key(key), "<secret contents redacted>", err.Error())}
	}
	return nil
}

func changeSecret(s, old *corev1.Secret) field.ErrorList {
	return slices.Concat(
		validation.ValidateImmutableField(s.Type, old.Type, field.NewPath("type")),
		sealed(old.Immutable, s.Immutable, s.Data, old.Data, dataPath))
}

// sealed keeps data that were declared immutable as they are, the declaration
// included.
func sealed(was, is *bool, data, old any, path *field.Path) field.ErrorList {
	if was == nil || !*was {
		return nil
	}
	const why = "field is immutable when `immutable` is set"
	var errs field.ErrorList
	if is == nil || !*is {
		errs = append(errs, field.Forbidden(field.NewPath("immutable"), why))
	}
	if !reflect.DeepEqual(data, old) {
		errs = append(errs, field.Forbidden(path, why))
	}
	return errs
}

package unsupported

// Fields returns the ends of the paths of what both tables have.
func Fields() (all []string) {
	for _, l := range ofPods {
		all = append(all, "spec."+l.field)
	}
	for _, l := range ofContainers {
		all = append(all, "]."+l.field)
	}
	return all
}

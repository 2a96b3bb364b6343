// Command chart tests the Helm chart without a cluster: it lints the chart, renders it
// with several values, and decodes each object strictly into the types of the
// Kubernetes API. It is a module of its own, because docent needs none of its
// dependencies.
package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

// object is the part of a Kubernetes object that names its type.
type object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// types are the objects of the chart.
var types = map[object]func() any{
	{"apps/v1", "Deployment"}:                     func() any { return new(appsv1.Deployment) },
	{"v1", "Service"}:                             func() any { return new(corev1.Service) },
	{"networking.k8s.io/v1", "Ingress"}:           func() any { return new(networkingv1.Ingress) },
	{"policy/v1", "PodDisruptionBudget"}:          func() any { return new(policyv1.PodDisruptionBudget) },
	{"autoscaling/v2", "HorizontalPodAutoscaler"}: func() any { return new(autoscalingv2.HorizontalPodAutoscaler) },
}

// rendering has the values of one rendering and its objects. refused is a part of the
// error instead.
type rendering struct {
	name, values, objects, refused string
}

// kubes are the versions of Kubernetes to render for.
var kubes = []string{"v1.29.0", "v1.30.0"}

var renderings = []rendering{
	{"defaults", "{}", "Deployment PodDisruptionBudget Service", ""},
	{"everything", `
autoscaling: {enabled: true}
ingress: {enabled: true, className: nginx, annotations: {a: b}, tlsSecretName: tls}
hosts: [docs.example.com, help.example.com]
trustedProxies: [10.0.0.0/8]
settings: {DOCENT_MODEL: gpt-4o, OTEL_EXPORTER_OTLP_ENDPOINT: "http://otel:4318"}
args: [--index, flat]
imagePullSecrets: [{name: registry}]
serviceAccountName: docent
podAnnotations: {a: b}
nodeSelector: {disk: fast}
tolerations: [{key: a, operator: Exists}]
affinity: {nodeAffinity: {}}
`, "Deployment HorizontalPodAutoscaler Ingress PodDisruptionBudget Service", ""},
	{"an ingress without hosts", "ingress: {enabled: true}", "", "needs at least one of hosts"},
	{"a secret among the settings", "settings: {OPENAI_API_KEY: x}", "", "OPENAI_API_KEY"},
	{"an unknown value", "replica: 2", "", "replica"},
}

func main() {
	folder := "../../packaging/helm/docent"
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	if err := check(folder, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "chart:", err)
		os.Exit(1)
	}
}

func check(folder string, out io.Writer) error {
	for _, m := range lint.All(folder, map[string]any{}, "default", true).Messages {
		if m.Severity > support.InfoSev {
			return m
		}
	}
	c, err := loader.Load(folder)
	if err != nil {
		return fmt.Errorf("load %s: %w", folder, err)
	}
	for _, r := range renderings {
		for _, kube := range kubes {
			objects, err := render(c, r.values, kube)
			switch {
			case r.refused == "" && err != nil:
				return fmt.Errorf("%s: %w", r.name, err)
			case r.refused != "" && (err == nil || !strings.Contains(err.Error(), r.refused)):
				return fmt.Errorf("%s: the error is %v, not …%s…", r.name, err, r.refused)
			case r.objects != strings.Join(objects, " "):
				return fmt.Errorf("%s: the objects are %v, not %s", r.name, objects, r.objects)
			}
			fmt.Fprintf(out, "chart: %s for %s: ok %s\n", r.name, kube, strings.Join(objects, " "))
		}
	}
	return nil
}

const (
	// firstStart is the time of the first start with a million passages, in seconds, and
	// index is the size of their index, in bytes (docs/explanation/performance.md).
	firstStart = 442
	index      = 2_700_000_000
	// drain is the time that docent has to stop, in seconds.
	drain = 40
)

// checkDeployment checks that a server has the time and the space of a million passages,
// and that it waits before it stops if Kubernetes can do so.
func checkDeployment(d *appsv1.Deployment, waits bool) error {
	pod := &d.Spec.Template.Spec
	server := &pod.Containers[0]
	sleep := int64(0)
	if server.Lifecycle != nil {
		sleep = server.Lifecycle.PreStop.Sleep.Seconds
	}
	start := server.StartupProbe
	switch {
	case start.PeriodSeconds*start.FailureThreshold < 2*firstStart || start.TimeoutSeconds < 3:
		return fmt.Errorf("the startup probe allows only %d × %d s, each with %d s",
			start.FailureThreshold, start.PeriodSeconds, start.TimeoutSeconds)
	case waits != (sleep > 0):
		return fmt.Errorf("the server waits %d seconds before it stops", sleep)
	case *pod.TerminationGracePeriodSeconds < sleep+drain:
		return fmt.Errorf("the server has %d seconds to stop", *pod.TerminationGracePeriodSeconds)
	case pod.Volumes[0].EmptyDir.SizeLimit.Value() < 2*index:
		return fmt.Errorf("the data folder has only %s", pod.Volumes[0].EmptyDir.SizeLimit)
	}
	return nil
}

// render returns the sorted kinds of the chart's objects for a version of Kubernetes.
func render(c *chart.Chart, values, kube string) ([]string, error) {
	given, err := chartutil.ReadValues([]byte(values))
	if err != nil {
		return nil, err
	}
	capabilities := *chartutil.DefaultCapabilities
	version, err := chartutil.ParseKubeVersion(kube)
	if err != nil {
		return nil, err
	}
	capabilities.KubeVersion = *version
	all, err := chartutil.ToRenderValues(c, given, chartutil.ReleaseOptions{Name: "test", Namespace: "default"}, &capabilities)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(c, all)
	if err != nil {
		return nil, err
	}
	var kinds []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if filepath.Ext(name) != ".yaml" || strings.TrimSpace(files[name]) == "" {
			continue
		}
		var o object
		if err := yaml.Unmarshal([]byte(files[name]), &o); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		newTarget, ok := types[o]
		if !ok {
			return nil, fmt.Errorf("%s: unknown object %v", name, o)
		}
		target := newTarget()
		if err := yaml.UnmarshalStrict([]byte(files[name]), target); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", name, err, files[name])
		}
		if d, ok := target.(*appsv1.Deployment); ok {
			if err := checkDeployment(d, kube != kubes[0]); err != nil {
				return nil, fmt.Errorf("%s for %s: %w", name, kube, err)
			}
		}
		kinds = append(kinds, o.Kind)
	}
	slices.Sort(kinds)
	return kinds, nil
}

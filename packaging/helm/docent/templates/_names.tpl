{{- define "docent.name" -}}
{{- $name := ternary .Release.Name (printf "%s-docent" .Release.Name) (contains "docent" .Release.Name) -}}
{{- $name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "docent.selector" -}}
app.kubernetes.io/name: docent
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "docent.labels" -}}
{{ include "docent.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

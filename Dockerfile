# The page, then the program, then an image with nothing but the program.
FROM node:22-bookworm-slim AS web
WORKDIR /src/web
COPY web/package.json web/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY web/ ./
COPY clients/ts/ ../clients/ts/
RUN npm run build

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=web /src/web/dist web/dist
ARG VERSION=docker
# As `make build` does.
RUN CGO_ENABLED=0 go build -tags nethttpomithttp2 -trimpath $(printf -- ' -gcflags=%s/...=-l' \
        github.com/danielgtaylor/huma github.com/modelcontextprotocol github.com/google/jsonschema-go \
        github.com/spf13 github.com/pressly github.com/gabriel-vasile github.com/segmentio github.com/go-jose github.com/coreos github.com/VictoriaMetrics \
        github.com/tmc github.com/tetratelabs/wazero/internal/engine/interpreter gopkg.in) \
    -ldflags "-s -w -funcalign=8 -X main.version=$VERSION" -o out/docent ./cmd/docent
RUN mkdir -p out/data

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /src/out/docent /docent
COPY --from=build --chown=nonroot:nonroot /src/out/data /data
VOLUME /data
EXPOSE 8765
ENTRYPOINT ["/docent"]
# Whoever reaches the port may use docent: publish it on 127.0.0.1 only, or serve
# with --auth in the place of --insecure.
CMD ["serve", "--data", "/data", "--addr", "0.0.0.0:8765", "--insecure"]

# Three stages: the page, the program, and an image with only the program.
FROM node:22-bookworm-slim AS web
WORKDIR /src/web
COPY web/package.json web/package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY web/ ./
COPY clients/ts/ ../clients/ts/
RUN npm run build

FROM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=web /src/web/dist web/dist
ARG VERSION=docker
# The same steps as make build.
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$VERSION" -o out/docent ./cmd/docent
RUN mkdir -p out/data

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /src/out/docent /docent
COPY --from=build /src/LICENSE /src/NOTICE /
COPY --from=build --chown=nonroot:nonroot /src/out/data /data
VOLUME /data
EXPOSE 8765
ENTRYPOINT ["/docent"]
# Add the first user: docker run -it -v data:/data docent user create NAME --scopes admin --data /data
CMD ["serve", "--data", "/data", "--addr", "0.0.0.0:8765", "--auth"]

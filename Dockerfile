# The program in a container: docs/building.md. First stage: builds; second: only what runs.
#   docker build -t sinew .
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" sinew simulate finger --out out/finger --report
FROM debian:12-slim AS build
RUN apt-get update && apt-get install --no-install-recommends -y ca-certificates git
WORKDIR /sinew
# The packages first: they change less often than the sources.
COPY packages.txt ./
COPY scripts/install_packages.sh scripts/
RUN scripts/install_packages.sh build
COPY . .
RUN cmake --preset release -DSINEW_BUILD_TESTS=OFF \
 && cmake --build --preset release --target sinew_cli \
 && cmake --install build/release --prefix /opt/sinew

FROM debian:12-slim
RUN apt-get update \
 && apt-get install --no-install-recommends -y libcpp-httplib0.11 libfmt9 libpugixml1v5 \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/sinew /usr/local
WORKDIR /work
ENTRYPOINT ["sinew"]
CMD ["--help"]

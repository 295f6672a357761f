# syntax=docker/dockerfile:1

# `clone`: this folder. `registry`: what npm publishes as VERSION; it needs no other file than this one.
ARG SOURCE=clone

FROM node:22-bookworm-slim AS clone
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY LICENSE README.md CHANGELOG.md tsconfig.json tsconfig.build.json ./
COPY scripts/build.js scripts/bundle.js scripts/declarations.js scripts/line-map.js scripts/other-packages.js scripts/
COPY manifest manifest
COPY src src
# With the tested versions of other packages.
RUN node scripts/build.js \
    && npm pack --ignore-scripts \
    && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
    && mkdir node_modules/stripe-payment-retry \
    && tar -xzf stripe-payment-retry-*.tgz -C node_modules/stripe-payment-retry --strip-components=1

FROM node:22-bookworm-slim AS registry
ARG VERSION
WORKDIR /app
RUN npm install --omit=dev --ignore-scripts --no-audit --no-fund "stripe-payment-retry@$VERSION"

FROM ${SOURCE} AS packages
# No package of these has native code, so that they run on Alpine, too. Declarations and source maps are for developers.
RUN find node_modules -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' \) -delete

FROM node:22-alpine
# It observes until it is told otherwise.
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    DATA_DIR=/data \
    RETRY_MODE=observe
WORKDIR /app
# The embedded database's folder; with DATABASE_URL nothing is written there.
RUN mkdir /data && chown node:node /data \
    && ln -s /app/node_modules/stripe-payment-retry/dist/cli.js /usr/local/bin/stripe-payment-retry
COPY --from=packages /app/node_modules node_modules
USER node
VOLUME /data
EXPOSE 8080 8090
STOPSIGNAL SIGTERM
# Alive, not ready: a database that is away is mended by no new container. The first process's own words say whether it is
# `service`, which has a port of its own. A process with TLS_CERT needs a check of its own.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD if tr '\0' '\n' < /proc/1/cmdline | grep -qx service; then port="${SERVICE_PORT:-8090}"; else port="${PORT:-8080}"; fi; \
        wget -q -O /dev/null "http://127.0.0.1:$port/healthz" || exit 1
ENTRYPOINT ["stripe-payment-retry"]
CMD ["start"]

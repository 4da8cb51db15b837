# The API and the web page of Hopgrade, for a Neo4j of your own: `kg serve`, and every other command of kg.
# docker-compose.yml starts it together with Neo4j. Nothing of Neo4j is in this image.
FROM python:3.11-slim-bookworm AS build

ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/hopgrade
# The pinned packages first: they stay in Docker's cache while only the code changes.
COPY requirements/run.txt requirements/build.txt /build/requirements/
RUN /opt/hopgrade/bin/pip install --require-hashes --only-binary :all: \
    --requirement /build/requirements/run.txt --requirement /build/requirements/build.txt
COPY pyproject.toml README.md LICENSE NOTICE /build/
COPY kg /build/kg
COPY services /build/services
COPY cli /build/cli
COPY cypher /build/cypher
COPY seed /build/seed
RUN /opt/hopgrade/bin/pip install --no-deps --no-build-isolation /build
# With --build-arg ENGINE=ray the image can be a node of a Ray cluster, and work on one. Ray is pinned by the extra only.
ARG ENGINE=""
RUN if [ "$ENGINE" = "ray" ]; then /opt/hopgrade/bin/pip install --no-build-isolation "/build[ray]"; fi

FROM python:3.11-slim-bookworm

RUN useradd --uid 10001 --create-home --home-dir /var/lib/hopgrade hopgrade
COPY --from=build /opt/hopgrade /opt/hopgrade
ENV PATH=/opt/hopgrade/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    RAY_USAGE_STATS_ENABLED=0 \
    HOPGRADE_HOME=/var/lib/hopgrade/home \
    HOPGRADE_CACHE=/var/lib/hopgrade/cache
USER hopgrade
WORKDIR /var/lib/hopgrade
VOLUME /var/lib/hopgrade
EXPOSE 8700
# Ready means that Neo4j answers too; no token is needed to ask.
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s --retries=6 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8700/ready', timeout=8)"]
# Set HOPGRADE_API_TOKEN: without it a token is made at each start, and stands in the log.
ENTRYPOINT ["kg"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8700"]

# One image for every process of Montego Bay: the API, the workers, the reference bots and the command line.
ARG BASE=python:3.12-slim-bookworm

FROM ${BASE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src
RUN python3 -m venv /opt/montego
# The libraries first: a change of the sources leaves this layer as it is.
COPY pyproject.toml constraints.txt LICENSE README.md ./
RUN mkdir service workers bots && /opt/montego/bin/pip install --constraint constraints.txt .
COPY . .
# Then what no process needs is left out: the libraries' tests, what installs packages, and the languages that no page is in.
RUN rm -rf build *.egg-info && /opt/montego/bin/pip install --no-deps --force-reinstall . \
    && find /opt/montego/lib -type d -name tests -prune -exec rm -rf {} + \
    && find /opt/montego/lib -path '*/babel/locale-data/*.dat' \
        ! -name 'root.dat' ! -name 'en*.dat' ! -name 'es*.dat' ! -name 'ko*.dat' -delete \
    && /opt/montego/bin/pip uninstall --quiet --yes setuptools pip

FROM ${BASE}
ENV PATH=/opt/montego/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
RUN useradd --uid 10001 --create-home --home-dir /home/montego montego
COPY --from=build /opt/montego /opt/montego
USER montego
WORKDIR /home/montego
EXPOSE 8000
ENTRYPOINT ["montego"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]
# Of the API, which is what the image runs by itself; other processes are given their own, or none.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 \
    CMD ["python3", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]

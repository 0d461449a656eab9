"""interop.py IOR DOCUMENT: reads a recording with the programs that people read Parquet with.

Records known_work.py as Parquet and as JSON, once into a file and once into parts. DuckDB, ClickHouse (chdb), polars and
pyarrow must return the JSON's rows, the counts and bytes that the work states, and the same percentiles. Every query of
DOCUMENT is run as it stands.
"""

import datetime
import importlib.metadata
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import chdb
import duckdb
import polars
import pyarrow.compute
import pyarrow.parquet

RECORDING = "recording.parquet"
PARTS = "parts/*.parquet"
HERE = pathlib.Path(__file__).resolve().parent
EPOCH = datetime.datetime(1970, 1, 1)

# In a known answer: whatever is there.
ANY = object()

# Columns of JSON alone.
ONLY_JSON = {"errno", "flag_names", "file_raw", "old_file_raw"}

failures = []


def check(what, found, expected):
    """Both must be the same; says where they differ."""
    if found == expected:
        print(f"interop: ok: {what}")
        return
    failures.append(what)
    print(f"interop: FAILED: {what}", file=sys.stderr)
    if isinstance(found, dict) and isinstance(expected, dict):
        keys = [key for key in {**found, **expected} if found.get(key) != expected.get(key)]
        for key in keys[:5]:
            print(f"  {key}: {found.get(key)}, expected {expected.get(key)}", file=sys.stderr)
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        at = next(at for at, pair in enumerate(zip(found, expected)) if pair[0] != pair[1])
        print(f"  {at}: {found[at]}\n  expected {expected[at]}", file=sys.stderr)
    else:
        print(f"  {str(found)[:2000]}\n  expected {str(expected)[:2000]}", file=sys.stderr)


def record(ior, name, *options):
    """Records the work in the directory `name`; what it states, and the rows of the JSON."""
    work = os.path.abspath(name)
    os.mkdir(work)
    command = [ior, *options, "--json", f"{name}.json", "--"]
    command += [sys.executable, "-I", "-S", HERE / "known_work.py", work]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SUDO_")}
    run = subprocess.run(command, stdout=subprocess.PIPE, env=environment, check=True)
    with open(f"{name}.json", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    for row in rows:
        for column in ONLY_JSON:
            row.pop(column, None)
        row["time"] = nanoseconds(row["time"])
    stated = {}
    for comm, syscall, calls, errors, size in json.loads(run.stdout):
        stated[comm, syscall] = (calls, errors, size)
    return work, stated, rows


def nanoseconds(text):
    """Nanoseconds since 1970 of `2026-12-01T00:00:00.123456789Z`."""
    seconds, fraction = text.rstrip("Z").split(".")
    whole = datetime.datetime.fromisoformat(seconds) - EPOCH
    return (whole.days * 86400 + whole.seconds) * 10**9 + int(fraction)


class DuckDb:
    """DuckDB, by SQL."""

    package = "duckdb"

    def query(self, sql):
        return duckdb.sql(sql)

    def rows(self, source):
        result = self.query(f"SELECT * REPLACE (epoch_ns(time) AS time) FROM '{source}' ORDER BY seq")
        return [dict(zip(result.columns, row)) for row in result.fetchall()]

    def groups(self, source, directory):
        found = self.query(
            "SELECT comm, syscall, count(*), count(*) FILTER (is_error), sum(bytes) "
            f"FROM '{source}' WHERE starts_with(file, '{directory}/') GROUP BY ALL"
        )
        return {row[:2]: tuple(map(int, row[2:])) for row in found.fetchall()}

    def percentiles(self, source):
        found = self.query(
            "SELECT syscall, quantile_cont(latency_ns, 0.5), quantile_cont(latency_ns, 0.99) "
            f"FROM '{source}' WHERE is_error GROUP BY syscall"
        )
        return {row[0]: row[1:] for row in found.fetchall()}


class ClickHouse:
    """ClickHouse, by SQL, in this process."""

    package = "chdb"

    def query(self, sql):
        text = chdb.query(sql, "JSONCompact").bytes()
        answer = json.loads(text)
        self.columns = [column["name"] for column in answer["meta"]]
        return [tuple(row) for row in answer["data"]]

    def rows(self, source):
        settings = "SETTINGS output_format_json_quote_64bit_integers = 0"
        found = self.query(
            "SELECT * REPLACE (toUnixTimestamp64Nano(time) AS time) "
            f"FROM file('{source}') ORDER BY seq {settings}"
        )
        return [dict(zip(self.columns, row)) for row in found]

    def groups(self, source, directory):
        found = self.query(
            "SELECT comm, syscall, count(), countIf(is_error), sum(bytes) "
            f"FROM file('{source}') WHERE startsWith(file, '{directory}/') GROUP BY comm, syscall"
        )
        return {row[:2]: tuple(map(int, row[2:])) for row in found}

    def percentiles(self, source):
        found = self.query(
            "SELECT syscall, quantileExactInclusive(0.5)(latency_ns), quantileExactInclusive(0.99)(latency_ns) "
            f"FROM file('{source}') WHERE is_error GROUP BY syscall"
        )
        return {row[0]: row[1:] for row in found}


class Polars:
    """polars, by expressions."""

    package = "polars"

    def table(self, source):
        return polars.scan_parquet(source)

    def rows(self, source):
        return self.table(source).with_columns(polars.col("time").dt.epoch("ns")).sort("seq").collect().to_dicts()

    def groups(self, source, directory):
        of_work = self.table(source).filter(polars.col("file").str.starts_with(f"{directory}/"))
        sums = [polars.len(), polars.col("is_error").sum().alias("errors"), polars.col("bytes").sum()]
        found = of_work.group_by("comm", "syscall").agg(sums).collect()
        return {row[:2]: row[2:] for row in found.rows()}

    def percentiles(self, source):
        latency = polars.col("latency_ns")
        quantiles = [latency.quantile(at, "linear").alias(str(at)) for at in (0.5, 0.99)]
        found = self.table(source).filter(polars.col("is_error")).group_by("syscall").agg(quantiles).collect()
        return {row[0]: row[1:] for row in found.rows()}


class PyArrow:
    """pyarrow, by tables."""

    package = "pyarrow"

    def table(self, source):
        return pyarrow.parquet.read_table(source.removesuffix("/*.parquet"))

    def rows(self, source):
        table = self.table(source)
        at = table.schema.get_field_index("time")
        return table.set_column(at, "time", table["time"].cast("int64")).to_pylist()

    def groups(self, source, directory):
        table = self.table(source)
        table = table.filter(pyarrow.compute.starts_with(table["file"], f"{directory}/"))
        table = table.append_column("errors", table["is_error"].cast("int64"))
        sums = [("seq", "count"), ("errors", "sum"), ("bytes", "sum")]
        found = table.group_by(["comm", "syscall"]).aggregate(sums)
        columns = ["comm", "syscall", "seq_count", "errors_sum", "bytes_sum"]
        return {row[:2]: row[2:] for row in zip(*(found[name].to_pylist() for name in columns))}

    def percentiles(self, source):
        table = self.table(source)
        table = table.filter(table["is_error"])
        found = {}
        for syscall in table["syscall"].unique().to_pylist():
            latency = table.filter(pyarrow.compute.equal(table["syscall"], syscall))["latency_ns"]
            found[syscall] = tuple(pyarrow.compute.quantile(latency, q=[0.5, 0.99]).to_pylist())
        return found


def percentile(values, at):
    """Linear between the two nearest values, as all four readers do it when asked to."""
    values = sorted(values)
    position = at * (len(values) - 1)
    below = int(position)
    above = min(below + 1, len(values) - 1)
    return values[below] + (values[above] - values[below]) * (position - below)


def rounded(percentiles):
    return {key: tuple(round(float(value), 3) for value in values) for key, values in percentiles.items()}


def failed_latencies(rows):
    latencies = {}
    for row in rows:
        if row["is_error"]:
            latencies.setdefault(row["syscall"], []).append(row["latency_ns"])
    return {key: (percentile(values, 0.5), percentile(values, 0.99)) for key, values in latencies.items()}


def without_nulls(rows):
    """As in JSON."""
    return [{key: value for key, value in row.items() if value is not None} for row in rows]


def check_reader(reader, source, work, stated, rows):
    name = f"{reader.package} {importlib.metadata.version(reader.package)}: {source}"
    check(f"{name}: {len(rows)} rows, in all columns", without_nulls(reader.rows(source)), rows)
    groups = {key: value for key, value in reader.groups(source, work).items() if key in stated}
    check(f"{name}: calls, errors and bytes are those of the work", groups, stated)
    percentiles = rounded(reader.percentiles(source))
    check(f"{name}: p50 and p99 of failed calls", percentiles, rounded(failed_latencies(rows)))


def sums_by_comm_and_syscall(rows):
    sums = {}
    for row in rows:
        calls, size = sums.get((row["comm"], row["syscall"]), (0, 0))
        sums[row["comm"], row["syscall"]] = (calls + 1, size + row["bytes"])
    return sums


def known_answers(work):
    """Rows that answers must have, by how their query's title begins."""
    missing = [("failed opens", (f"{work}/missing-{number}", -2, 100, ["failed-opens"])) for number in range(3)]
    return missing + [
        ("small writes", ("small-writes", f"{work}/small", 1000, 25500, 25.5)),
        ("fsync storms", (ANY, "syncs", f"{work}/log", ANY, ANY)),
        # 16 pages, each 25 times in pieces of one and once in pieces of three.
        ("read amplification", (f"{work}/data", 416, 16, 26.0)),
        ("buffers", ("reads-in-order", f"{work}/data", 7, 7 * 12288, 65536)),
        ("in order", ("reads-in-order", f"{work}/data", 6, 1.0)),
        ("gaps by process", ("pauses", ANY, ANY, ANY, ANY, ANY)),
        ("what was renamed", (ANY, "renames", f"{work}/name-7", f"{work}/name-8")),
        ("whether anything is missing", (RECORDING, "ior.complete", "true")),
    ]


def is_like(row, known):
    return len(row) == len(known) and all(value in (ANY, found) for found, value in zip(row, known))


def check_queries(document, rows, work, readers):
    """Runs every query of the document. The first two are there once for each of two dialects."""
    section = document.split("\n## Queries", 1)[1].split("\n## ", 1)[0]
    queries = re.findall(r"^```sql\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    check("the document has at least a dozen queries", len(queries) >= 14, True)
    answers = {"duckdb": [], "chdb": []}
    used = set()
    for query in queries:
        dialect = "chdb" if "FROM file(" in query else "duckdb"
        title = query.strip().splitlines()[0]
        try:
            result = readers[dialect].query(query)
            answer = [tuple(row) for row in (result if dialect == "chdb" else result.fetchall())]
        except Exception as error:  # Whatever a reader raises is a failed query, and the others are to be run.
            check(f"{dialect}: {title}", str(error), "no error")
            continue
        answers[dialect].append(answer)
        check(f"{dialect}: {title}: not empty", len(answer) > 0, True)
        for begin, row in known_answers(work):
            if title.startswith(f"-- {begin}"):
                shown = tuple("…" if value is ANY else value for value in row)
                check(f"{dialect}: {begin}: has {shown}", any(is_like(found, row) for found in answer), True)
                used.add(begin)
    check("known answers are of queries that are there", used, {begin for begin, _ in known_answers(work)})
    for dialect, (sums, percentiles, *_) in answers.items():
        found = {row[:2]: tuple(map(int, row[2:4])) for row in sums}
        check(f"{dialect}: the first query's calls and bytes", found, sums_by_comm_and_syscall(rows))
        found = {row[0]: tuple(row[-2:]) for row in percentiles}
        check(f"{dialect}: the second query's p50 and p99", rounded(found), rounded(failed_latencies(rows)))


def documented_columns(document):
    """Name, type and whether it is never null, by the document's table; a line may have several columns."""
    section = document.split("\n## Columns", 1)[1].split("\n## ", 1)[0]
    columns = []
    for names, kind, null in re.findall(r"^\| (`.*?) \| (.*?) \| (.*?) \|", section, re.MULTILINE):
        columns += [(name, kind, null == "never") for name in re.findall(r"`(.*?)`", names)]
    return columns


def check_columns(document):
    schema = pyarrow.parquet.read_schema(RECORDING)
    kinds = {
        "uint64": "UInt64",
        "uint32": "UInt32",
        "int64": "Int64",
        "int32": "Int32",
        "bool": "Boolean",
        "string": "String",
        "timestamp[ns, tz=UTC]": "Timestamp(ns, UTC)",
    }
    columns = {field.name: (kinds.get(str(field.type), str(field.type)), not field.nullable) for field in schema}
    documented = {name: (kind, never) for name, kind, never in documented_columns(document)}
    # Those of one line of the table need not be neighbours in the file.
    check("the columns are the documented ones", columns, documented)
    keys = {key.decode() for key in schema.metadata if key.startswith(b"ior.")}
    section = document.split("\n## Footer", 1)[1].split("\n## ", 1)[0]
    check("nothing is missing", schema.metadata[b"ior.complete"], b"true")
    documented_keys = {key for key in re.findall(r"`(ior\.[a-z]+)`", section)}
    check("the footer's keys are the documented ones", keys, documented_keys)


def main():
    ior, document = map(os.path.abspath, sys.argv[1:])
    document = pathlib.Path(document).read_text(encoding="utf-8")
    readers = {reader.package: reader for reader in (DuckDb(), ClickHouse(), Polars(), PyArrow())}
    with tempfile.TemporaryDirectory(prefix="ior-interop-") as directory:
        directory = os.path.realpath(directory)
        os.chdir(directory)
        work, stated, rows = record(ior, "work", "--parquet", RECORDING)
        check_columns(document)
        for reader in readers.values():
            check_reader(reader, RECORDING, work, stated, rows)
        check_queries(document, rows, work, readers)
        recorded = record(ior, "work-in-parts", "--parquet", "parts/", "--rotate", "20ms")
        check("there are parts", len(list(pathlib.Path("parts").glob("*.parquet"))) > 2, True)
        for reader in readers.values():
            check_reader(reader, PARTS, *recorded)
        os.chdir("/")
    if failures:
        sys.exit(f"interop: {len(failures)} failed: " + "; ".join(failures))


main()

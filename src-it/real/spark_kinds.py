"""Kinds of work that Spark does on a filesystem, each checked; started by spark.sh.

spark_kinds.py run URI         does them all below URI, a line for each; exit code 1 where one failed
spark_kinds.py hold URI FILE   an application with its event log below URI: runs a job, writes its id into FILE
                               and goes on until standard input ends
"""
import datetime
import sys
import traceback

from pyspark.sql import SparkSession, functions

ROWS = 100_000


def session(**settings):
    builder = SparkSession.builder.appName("kinds")
    for key, value in settings.items():
        builder = builder.config(key.replace("__", "."), value)
    return builder.getOrCreate()


def table(spark):
    return spark.range(ROWS).select(
        functions.col("id"), (functions.col("id") % 7).alias("part"), functions.concat(functions.lit("row "), functions.col("id")).alias("text"))


def same(found, expected):
    if found != expected:
        raise AssertionError("expected %r, found %r" % (expected, found))


def round_trip(spark, base, form):
    target = base + "/" + form
    table(spark).write.option("header", True).format(form).save(target)
    back = spark.read.option("header", True).option("inferSchema", True).format(form).load(target)
    same(back.count(), ROWS)
    same(back.agg(functions.sum("id")).first()[0], ROWS * (ROWS - 1) // 2)
    same(back.filter("id = 4711").first()["text"], "row 4711")


def rdd(spark, base):
    context = spark.sparkContext
    context.parallelize(range(ROWS), 4).map(str).saveAsTextFile(base + "/rdd")
    same(context.textFile(base + "/rdd", 8).map(int).sum(), ROWS * (ROWS - 1) // 2)


def dynamic_overwrite(spark, base):
    target = base + "/partitions"
    table(spark).write.partitionBy("part").parquet(target)
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    changed = spark.createDataFrame([(-1, "new", 3)], "id long, text string, part long")
    changed.write.mode("overwrite").partitionBy("part").parquet(target)
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "static")
    back = spark.read.parquet(target)
    same(back.filter("part = 3").collect()[0]["text"], "new")
    same(back.count(), ROWS - len(range(3, ROWS, 7)) + 1)


def committer(spark, base, version):
    target = "%s/committer-v%d" % (base, version)
    table(spark).write.option("mapreduce.fileoutputcommitter.algorithm.version", str(version)).orc(target)
    same(spark.read.orc(target).count(), ROWS)


def streaming(spark, base):
    source, target, checkpoint = base + "/stream-in", base + "/stream-out", base + "/stream-checkpoint"
    table(spark).repartition(3).write.json(source)
    schema = "id long, part long, text string"
    for batch in range(2):  # the second one goes on from the checkpoint
        if batch:
            spark.range(ROWS, 2 * ROWS).selectExpr("id", "id % 7 part", "'x' text").write.mode("append").json(source)
        query = (spark.readStream.schema(schema).json(source).writeStream.format("parquet")
                 .option("checkpointLocation", checkpoint).trigger(availableNow=True).start(target))
        query.awaitTermination()
        back = spark.read.parquet(target)
        same((back.count(), back.select("id").distinct().count()), ((batch + 1) * ROWS,) * 2)


def draws(spark, base, form, conf):
    """The stream of a job is read twice, the second time from the lists that the first one made."""
    context = spark.sparkContext
    text = base + "/draws-" + form.rsplit(".", 2)[-2]
    context.parallelize(range(ROWS), 4).map(lambda i: "%09d" % i).saveAsTextFile(text)
    keys = "org.apache.hadoop.io.LongWritable", "org.apache.hadoop.io.Text"
    if ".mapred." in form:
        lines = context.hadoopRDD(form, *keys, conf={**conf, "mapreduce.input.fileinputformat.inputdir": text})
    else:
        lines = context.newAPIHadoopFile(text, form, *keys, conf=conf)
    numbers = lines.values().map(int)
    for _ in range(2):
        same((numbers.count(), numbers.sum()), (ROWS, ROWS * (ROWS - 1) // 2))


def event_log(spark, base):
    log = base + "/events"
    hadoop = spark.sparkContext._jvm.org.apache.hadoop.fs
    path = hadoop.Path(log)
    entries = path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration()).listStatus(path)
    same(len(entries) >= 1, True)


KINDS = [
    ("parquet", lambda s, b: round_trip(s, b, "parquet")),
    ("orc", lambda s, b: round_trip(s, b, "orc")),
    ("csv", lambda s, b: round_trip(s, b, "csv")),
    ("RDDs", rdd),
    ("dynamic partition overwrite", dynamic_overwrite),
    ("committer v1", lambda s, b: committer(s, b, 1)),
    ("committer v2", lambda s, b: committer(s, b, 2)),
    ("structured streaming", streaming),
    ("VdfsInputFormat of the new API", lambda s, b: draws(s, b, "io.vdfs.mapreduce.VdfsInputFormat", {})),
    ("VdfsInputFormat of the old API", lambda s, b: draws(s, b, "io.vdfs.mapreduce.mapred.VdfsInputFormat", {})),
    ("event log", event_log),
]


def run(base):
    SparkSession.builder.config("spark.eventLog.enabled", "false").getOrCreate()
    spark = SparkSession.getActiveSession()
    make_directory(spark, base + "/events")
    spark.stop()
    spark = session(spark__eventLog__enabled="true", spark__eventLog__dir=base + "/events")
    jvm = spark.sparkContext._jvm
    print("Spark %s, Hadoop client %s, Java %s, Python %s, %s" % (
        spark.version, jvm.org.apache.hadoop.util.VersionInfo.getVersion(),
        jvm.java.lang.System.getProperty("java.version"), sys.version.split()[0],
        datetime.date.today()), flush=True)
    failed = 0
    for name, kind in KINDS:
        try:
            kind(spark, base)
            print(name + ": passed", flush=True)
        except Exception:  # one kind that fails does not hide the others
            failed += 1
            traceback.print_exc()
            print(name + ": FAILED", flush=True)
    spark.stop()
    return 1 if failed else 0


def make_directory(spark, uri):
    path = spark.sparkContext._jvm.org.apache.hadoop.fs.Path(uri)
    path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration()).mkdirs(path)


def hold(log, file):
    spark = session(spark__eventLog__enabled="true", spark__eventLog__dir=log)
    same(table(spark).count(), ROWS)
    with open(file, "w", encoding="ascii") as out:
        out.write(spark.sparkContext.applicationId)
    sys.stdin.read()
    spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[2]) if sys.argv[1] == "run" else hold(sys.argv[2], sys.argv[3]))

"""A word count by Spark over one file; started by spark-jobs.sh.

spark_wordcount.py FORMAT IN OUT     FORMAT: "text", Spark's own textFile, or the class of an input format
"""
import sys

from pyspark import SparkConf, SparkContext


def main(form, source, target):
    context = SparkContext(conf=SparkConf().setAppName("wordcount"))
    if form == "text":
        lines = context.textFile(source)
    else:
        lines = context.newAPIHadoopFile(
            source, form, "org.apache.hadoop.io.LongWritable", "org.apache.hadoop.io.Text").values()
    counts = lines.flatMap(str.split).map(lambda word: (word, 1)).reduceByKey(lambda one, other: one + other, 2)
    counts.map(lambda pair: "%s %d" % pair).saveAsTextFile(target)
    context.stop()


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])

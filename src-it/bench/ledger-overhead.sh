#!/usr/bin/env bash
# Measures what the ledger costs a job, as JSON: see io.vdfs.it.bench.LedgerOverhead.
# Usage: src-it/bench/ledger-overhead.sh [MEBIBYTES]; build with "mvn -DskipTests package" before.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec java -Xmx1g -Dvdfs.home="$PWD" \
  -Dlog4j.configuration="file:$PWD/src-it/src/test/resources/log4j.properties" \
  -cp "src-it/target/classes:$(cat src-it/target/quickstart.classpath)" \
  io.vdfs.it.bench.LedgerOverhead "${1:-1024}"

# Runs each benchmark that calculates in systems once, because it fails if its result differs from that of plain C. This
# finds wrong results before a measurement. Without --long only frame7 runs.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

names=frame7
[ -z "$LONG" ] || names="frame7 frame7_plain iterate rows rows_single overlap fragments workers one_core concurrent_lua exact"

same_as_c() {
  run_for 600 tests/bench/run "$1" --runs 1
  exits 0
}
for name in $names; do
  it "benchmark $name computes the same result as plain C" same_as_c "$name"
done

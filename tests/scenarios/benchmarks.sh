# Compares the results of the benchmarks with the results of plain C, without a measurement. This also checks that the
# compiler vectorises the loops of plain C. Without --long, only frame7 runs.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

same_as_c() {
  # shellcheck disable=SC2086
  run_for 600 tests/bench/run $1 --check
  exits 0
  grep -q "^same results" "$tmp/out" || fail "nothing was compared"
}
if [ -n "$LONG" ]; then
  it "the benchmarks compute the same results as plain C" same_as_c ""
else
  it "benchmark frame7 computes the same result as plain C" same_as_c frame7
fi

# is_json TEXT: succeeds if SQLite accepts the text.
is_json() {
  [ "$("$release" sql tests/bench/start "SELECT json_valid('$(printf %s "$1" | sed "s/'/''/g")')" | tail -n 1 | tr -d ' ')" = 1 ]
}

json_is_valid() {
  luajit -e '
    local json = dofile("tests/bench/json.lua")
    print(json.encode { text = "a \"b\" \\ \n\t\1 é", none = json.list(), numbers = json.list { 1, -2.5, 0 / 0, 1 / 0, 1e300 },
      yes = true, rows = json.list { { what = "x" }, {} } })' >"$tmp/json" || fail "the encoder failed"
  is_json "$(cat "$tmp/json")" || fail "not JSON: $(cat "$tmp/json")"
  grep -qF '"none":[]' "$tmp/json" || fail "an empty list is not []: $(cat "$tmp/json")"
  grep -qF '[1,-2.5,null,null,1e+300]' "$tmp/json" || fail "numbers: $(cat "$tmp/json")"
}
it "the JSON of benchmarks is valid for quotes, control characters, empty lists, NaN and infinity" json_is_valid

output_is_json() {
  run_for 600 tests/bench/run fragments --runs 1 --json
  exits 0
  is_json "$(cat "$tmp/out")" || fail "not JSON: $(cat "$tmp/out")"
}
[ -z "$LONG" ] || it "tests/bench/run --json prints valid JSON" output_is_json

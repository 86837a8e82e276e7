# Every test passes if a filter selects it alone: it does not depend on files of earlier tests (see `requires` in
# tests/lib.sh). Runs the last test of some suites, and with --long every test that a normal run has.
# needs: release sanitize
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

# Suites whose tests build on each other.
SAMPLE="declaration_errors external_input recorded_examples replay requirements save scenes ui"

# Prints the suites of a normal run that need only the programs of this suite.
all_suites() {
  grep -lE '^( |\[.*\|\| )*it ' tests/scenarios/*.sh tests/reload/*.sh |
    xargs grep -LE '^# only with --long|^# needs: .*/|^# needs: thread' | grep -v '/arm64\.sh$\|/single_tests\.sh$'
}

# tests_of SCRIPT: prints the names of its tests.
tests_of() { env LIST=1 LONG= FILTER= "TMP=$tmp/list" "suite=$(basename "$1" .sh)" sh "$1" 2>/dev/null | sed -n 's/^test //p'; }

run_alone() { # run_alone SCRIPT TEST
  rm -rf "$tmp/alone" && mkdir "$tmp/alone"
  name=$(basename "$1" .sh)
  env LONG= "FILTER=$name: $2" "TMP=$tmp/alone" "TMPDIR=$tmp/alone" "suite=$name" sh "$1" >"$tmp/result" 2>&1 </dev/null
  grep -qF -e "ok $2" -e "skipped $2: " "$tmp/result" && ! grep -q '^not ok ' "$tmp/result" ||
    fail "$(tail -n 5 "$tmp/result")"
}

if [ -n "$LONG" ]; then
  suites=$(all_suites)
else
  suites=$(printf "tests/scenarios/%s.sh\n" $SAMPLE)
fi
for script in $suites; do
  tests_of "$script" | if [ -n "$LONG" ]; then cat; else tail -n 1; fi >"$tmp/names"
  while read -r name; do
    it "the test passes alone: $(basename "$script" .sh): $name" run_alone "$script" "$name"
  done <"$tmp/names"
done

never() { wait_for 1 false; }
ends() { ! wait_for 1 never || fail "the wait succeeded"; }
it "wait_for ends at its time limit even if its condition also calls wait_for" ends

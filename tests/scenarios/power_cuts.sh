# Power cuts while a room writes its world: unsynchronized writes are lost, torn and reordered. No committed record is
# lost. Two controls show that the cuts would find losses: without synchronized commits, and on a disk that ignores
# synchronization. 20 cuts, 200 with --long.
# needs: release/power_cuts
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
program=$(bin release power_cuts)

builds_library() {
  ${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -fPIC -shared -o "$tmp/power_cut.so" \
    "$root/tests/power_cuts/power_cut.c" -ldl || fail "power_cut.so does not build"
}

# cut_power COUNT SYNCHRONOUS [LIES]: cuts the power COUNT times, each time in the same world. Appends the verdict of
# each check to the file `verdicts`. A damaged world is replaced with a new world.
cut_power() {
  requires builds_library
  rm -rf world verdicts
  mkdir world
  number=0
  while [ "$number" -lt "$1" ]; do
    number=$((number + 1))
    at=$((60 + number * 7919 % 840))
    if [ $((number % 10)) = 0 ]; then # cuts the power while a new world is created
      rm -rf world && mkdir world
      at=$((number / 10))
    fi
    status=0
    CUT_FOLDER=$tmp/world CUT_AT=$at CUT_SEED=$number ${3:+env CUT_LIES=1} \
      env LD_PRELOAD="$tmp/power_cut.so" timeout 60 "$program" write world/world.db "$2" >acked || status=$?
    if grep -q damaged acked && [ -n "${3-}" ]; then # an earlier cut has damaged this world
      echo damaged >>verdicts
      rm -rf world && mkdir world
      continue
    fi
    [ "$status" = 137 ] || fail "cut $number: the power was not cut: status $status, $(tail -n 2 acked)"
    "$program" check world/world.db "$(tail -n 1 acked | grep . || echo 0)" >verdict || true
    head -n 1 verdict >>verdicts
    cat acked >>all_acked
    tail -n 1 verdicts | grep -q '^damaged' && rm -rf world && mkdir world
  done
  [ "$(wc -l <verdicts)" = "$1" ] || fail "$(wc -l <verdicts) verdicts of $1 cuts"
}

loses_nothing() {
  rm -f all_acked
  cut_power "$((LONG ? 200 : 20))" FULL
  echo "value power_cuts: $(wc -l <verdicts) cuts, $(wc -l <all_acked) acknowledged commits" >>"$tmp/figures"
  [ "$(wc -l <all_acked)" -gt 100 ] || fail "only $(wc -l <all_acked) commits were acknowledged"
  ! grep -v '^intact$' verdicts >bad || fail "$(wc -l <bad) of $(wc -l <verdicts) cuts: $(head -n 3 bad)"
}

finds_losses() { # finds_losses SYNCHRONOUS [LIES]
  cut_power 20 "$@"
  ! grep -vq '^intact$' verdicts || return 0
  fail "20 cuts found no loss"
}

# The rooms of a world start in parallel, and each of them may be the first process that opens a new database.
opens_in_parallel() {
  round=0
  while [ "$round" -lt "$((LONG ? 100 : 20))" ]; do
    round=$((round + 1))
    rm -rf parallel && mkdir parallel
    processes=
    for number in 1 2 3 4 5 6 7 8; do
      timeout 60 "$program" check parallel/world.db 0 >"parallel/verdict$number" &
      processes="$processes $!"
    done
    # shellcheck disable=SC2086
    wait $processes
    [ "$(cat parallel/verdict* | grep -c '^intact$')" = 8 ] || fail "round $round: $(cat parallel/verdict*)"
  done
}

it "the library that simulates power cuts builds without warnings" builds_library
it "a power cut loses no committed record" loses_nothing
it "simulated power cuts lose records if commits are not synchronized" finds_losses NORMAL
it "simulated power cuts lose records if the disk ignores synchronization" finds_losses FULL lies
it "eight processes that open a new world in parallel all find an intact world" opens_in_parallel

# ./shoal new and ./shoal new-plugin: what they write builds, runs and passes its own test, alone and from anywhere.
# needs: release
. "$(dirname "$0")/../lib.sh"
shoal=$root/shoal
cd "$tmp" || exit 1
rm -rf ./*

game() {
  run_for 60 "$shoal" new pong
  exits 0
  run_for 60 sh pong/test.sh
  exits 0
  says out "ok: the hero is on the screen"
  run_for 60 "$shoal" run pong --headless --strict --ticks 60
  exits 0
}
it "a new game runs and passes its test" game

same_image() {
  cmp "$root/scripts/templates/topdown/assets/hero.png" pong/assets/hero.png || fail "the image is another"
  run_for 60 "$shoal" run pong --headless --ticks 5 --exec 'print(assets.exists("hero.png"))'
  says out true
  ! grep -q "^warn" err || fail "$(cat err)"
}
it "its image is a copy of the template's" same_image

readable() {
  grep -q "^# pong$" pong/README.md || fail "$(head -n 3 pong/README.md)"
  grep -q "lists everything that scripts can call" pong/README.md || fail "$(cat pong/README.md)"
  ! grep -rn "[a-z]pong\|thing/" pong || fail "a garbled word"
}
it "the name stands where the template has its own, and in no other word" readable

# Ten seconds, on a machine that compiles a program of one line in 0.06 s: as long as that takes 160 times. Of the
# processor's time, for others may be first.
spend() { # spend COMMAND…: $spent is what it took, in hundredths of a second
  times >"$tmp/times"
  before=$(of_children)
  "$@"
  times >"$tmp/times"
  spent=$(($(of_children) - before))
}
of_children() { sed -n '2s/[ms]/ /gp' "$tmp/times" | awk '{ printf "%d", ($1 * 60 + $2 + $3 * 60 + $4) * 100 }'; }
ten_lines() {
  for _ in 1 2 3 4 5 6 7 8 9 10; do "${CC:-cc}" -O2 -o one one.c || fail "a program of one line does not compile"; done
}
to_be_seen() {
  run_for 60 "$shoal" new-plugin warmth --at .
  exits 0
  run_for 60 make -C warmth test
  exits 0
  says out "ok: warmth grows, and doubles"
}

plugin() {
  echo 'int main(void) { return 0; }' >one.c
  spend ten_lines
  most=$((spent * 16))
  spend to_be_seen
  [ "$spent" -lt "$most" ] || fail "from new-plugin to seen in the game in ${spent}0 ms, and ${most}0 ms are ten seconds here"
  run_for 60 "$shoal" run warmth/example --headless --strict --plugin warmth/warmth.so --ticks 0 --types "$tmp/warmth.lua"
  grep -q '^function shoal.plugins.warmth.double(e) end$' warmth.lua || fail "$(cat warmth.lua)"
}
it "a new plugin builds, is seen in the game and passes its test within 10 s" plugin

# In a build that looks at memory and rows: as it is, with a row that is not there, and with memory behind a block.
sanitizes() {
  case $("${CC:-cc}" -print-file-name=libasan.so) in /*) ;; *) return 0 ;; esac # none here
  run_for 60 make -C warmth sanitize
  exits 0
  says out "ok: warmth grows, and doubles"
  mkdir -p beyond && cp -R warmth/. beyond && cp warmth/warmth.c beyond.c
  sed 's/SHOAL_AT(v, value, i) +=/SHOAL_AT(v, value, i + 1) +=/' beyond.c >beyond/warmth.c
  run_for 60 make -C beyond sanitize
  [ "$status" != 0 ] || fail "a row too far is not told: $(cat out err)"
  grep -qE "error in plugin warmth.grow: warmth.c:[0-9]+: row [0-9]+ of warmth.value is out of range \(count [0-9]+\)" out err || fail "$(cat out err)"
  sed 's/SHOAL_AT(v, value, i) +=/value[i + 1] +=/' beyond.c >beyond/warmth.c
  run_for 60 make -C beyond sanitize
  [ "$status" != 0 ] || fail "a row too far of a bare column is not told: $(cat out err)"
  grep -q "heap-buffer-overflow" out && grep -qE "#0 .* in grow .*warmth.c:[0-9]+" out || fail "$(cat out err)"
  sed 's/^  (void)c;/  volatile float *x = shoal_resize(c, NULL, 0, 16); x[4] = 1; shoal_resize(c, (void *)x, 16, 0);/' beyond.c >beyond/warmth.c
  run_for 60 make -C beyond sanitize
  [ "$status" != 0 ] || fail "memory behind a block is not told: $(cat out err)"
  grep -q "heap-buffer-overflow" out || fail "$(cat out err)"
  grep -qE "#0 .* in grow .*warmth.c:[0-9]+" out || fail "no line in: $(grep '#[0-3]' out)"
}
it "make sanitize names a row that is not there, and memory that is not the plugin's, with the line" sanitizes

# The same file is C and C++, without a warning.
cplusplus() {
  mkdir -p cpp
  for words in "c11 c ${CC:-cc}" "c++17 c++ ${CXX:-c++}"; do
    # shellcheck disable=SC2086
    set -- $words
    "$3" -std="$1" -x "$2" -O2 -Wall -Wextra -Wshadow -Wconversion -Werror -fPIC -shared -I"$root/engine/include" \
      -o cpp/warmth.so warmth/warmth.c || fail "no $1"
    run_for 60 "$shoal" run warmth/example --headless --strict --plugin cpp/warmth.so --ticks 60 --hash
    exits 0
    cp out "hash-$2"
  done
  cmp -s hash-c hash-c++ || fail "C says $(cat hash-c), C++ $(cat hash-c++)"
}
it "a plugin is C11 or C++17" cplusplus

refused() { # refused "WORDS" WORD…
  words=$1
  shift
  run_for 20 "$shoal" "$@"
  exits 2
  expect_one_line err
  says err "$words"
}
it "a name that is none is refused" refused "invalid name '9lives'" new 9lives
it "a folder that is there is left alone" refused "already exists" new-plugin warmth
it "a place that is not there is said" refused "folder nowhere not found" new pong --at nowhere
it "no name at all" refused "expected a name" new-plugin

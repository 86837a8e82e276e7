# Sequences are part of the world: lived again, rewound, saved, replayed and reloaded half way they give the same
# hashes; and what becomes of one whose file changes under it, or is wrong.
# needs: release
. "$(dirname "$0")/../lib.sh"
world=sequences
. "$(dirname "$0")/lib/reproducible.sh"

alive() { # it does what the tests below are about
  run_for 20 "$release" sql "$tmp/game" --ticks "$ticks" \
    'SELECT ends > 3 AS ends, calls > 10 AS calls, said > 20 AS said FROM heard;
     SELECT count(DISTINCT doing) > 5 AS kinds, max(count) > 0 AS counts FROM in_sequence;
     SELECT count(*) > 0 AS all_at_once FROM in_sequence WHERE length(parent) > 0'
  exits 0
  [ "$(grep -c '^ *1 *1 *1$' out)" = 1 ] && [ "$(grep -c '^ *1 *1$' out)" = 1 ] && [ "$(grep -c '^ *1$' out)" = 1 ] ||
    fail "$(cat out)"
}
it "all of it happens" alive

it "every tick that is lived again comes out the same" again

it "a recording is the same world" replayed

it "a save half way goes on as if nothing had been" saved 37 150

it "a rewind, and a reload that changes nothing, leave the world as it would have been" rewound

two_workers() {
  plays two --workers 2
  same straight two
}
it "with two workers the world is the same" two_workers

# game: a play whose sequence is intro.lua, from stdin
game() {
  rm -rf "$tmp/play"
  mkdir -p "$tmp/play/systems" "$tmp/play/sequences"
  echo 'return { title = "play", native = true, start = function()
    local e = world.spawn(nil, { name = "Anna", transform = {} })
    e:sequence("intro")
  end }' >"$tmp/play/game.lua"
  cat >"$tmp/play/sequences/intro.lua"
}

# hand TICK COMMAND…: what happens to the files of sequences/ in these ticks; all is loaded anew then
hand() {
  {
    printf 'local ffi = require "ffi"\nffi.cdef "int system(const char *);"\nreturn { update = function()\n'
    while [ $# -gt 0 ]; do
      printf 'if world.tick == %s then\nffi.C.system [==[cd %s/play/sequences && %s]==]\nreload()\nend\n' "$1" "$tmp" "$2"
      shift 2
    done
    printf 'end }\n'
  } >"$tmp/play/systems/hand.lua"
}

four_steps() {
  game <<'END'
return {
  { name = "first", wait = 0.1 },
  { name = "second", wait = 0.5 },
  { call = function() print("third at", world.tick) end },
  { wait = 60 },
}
END
}

performs() { # performs TICKS: how it exits is looked at by who asks
  run_for 60 "$release" run "$tmp/play" --headless --trust --ticks "$1"
}

moved() {
  four_steps
  hand 20 'sed -i "s/^return {/return { { call = function() print [[nobody]] end }, { wait = 9 },/" intro.lua'
  performs 90
  exits 0
  says out "third at	36"
  ! grep -q nobody "$tmp/out" || fail "it began anew: $(cat "$tmp/out")"
}
it "a step that has another number now is found by its name" moved

lost() {
  four_steps
  hand 20 'sed -i "s/second/other/; s/wait = 0.5/wait = 0.2/" intro.lua'
  performs 90
  exits 0
  says err 'is in the sequence intro, and its step "second" no longer exists: it continues with step 2, "other"'
  says out "third at	33" # it began anew in tick 21
}
it "a step that the file has lost is said, and it goes on with the nearest" lost

gone() {
  four_steps
  hand 20 'mv intro.lua ../intro.txt; echo "return { { wait = 1 } }" >inrto.lua' 40 'mv ../intro.txt intro.lua'
  performs 90
  exits 0
  says err 'is in the sequence intro, but there is no sequences/intro.lua: did you mean inrto?: it does not advance'
  says out "third at	56"
}
it "a sequence whose file is gone stands still until it is there again" gone

malformed() {
  four_steps
  hand 20 'sed -i "s/wait = 60/wiat = 60/" intro.lua'
  performs 60
  says err "sequences/intro.lua:5: step 4: there is no wiat: did you mean wait?"
  says out "third at	36"
}
it "a file that is wrong is refused with its step, and the old one goes on" malformed

failing() {
  game <<'END'
return {
  { wait = 0.1 },
  { name = "oops", call = function(e)
    e.lifetime.seconds = 3
  end },
}
END
  echo 'return { { wait = 0.2 }, { call = function() print("the other goes on at", world.tick) end } }' \
    >"$tmp/play/sequences/other.lua"
  echo 'return { start = function() world.spawn():sequence("other") end }' >"$tmp/play/systems/other.lua"
  performs 30
  exits 1
  says err 'error in sequence intro: sequences/intro.lua:4: entity(1:0 "Anna") has no lifetime'
  says err 'sequences/intro.lua:3: sequence intro, step 2, "oops"'
  says out "the other goes on at	13"
}
it "an error in a call stops that sequence only, and names file, line, step and entity" failing

endless() {
  printf 'return {\n  { label = "here" },\n  { call = function() end },\n  { jump = "here" },\n}\n' | game
  performs 5
  exits 1
  says err 'error in sequence intro: sequences/intro.lua:'
  says err '1000 steps in one tick without a wait'
}
it "a jump in circles that never waits is stopped" endless

unheard() {
  echo 'return { { say = "Hello" } }' | game
  performs 200
  exits 0
  [ "$(grep -c 'sequences/intro.lua: step 1: its text is not shown' err)" = 1 ] || fail "$(cat err)"
  sed -i 's/local e/world.spawn(nil, { dialogue = {} }) local e/' play/game.lua
  performs 200
  exits 0
  ! grep -q "is not shown" err || fail "$(cat err)"
}
it "what is said where nothing shows it is told once" unheard

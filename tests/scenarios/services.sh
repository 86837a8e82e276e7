# Version 2 of the plugin interface: services by name and version, other plugins' functions, input, the net plugin; and
# libraries of version 1. Each is a plugin that uses it, rightly or wrongly, in the real program.
# needs: release
. "$(dirname "$0")/../lib.sh"
here=$root/tests/scenarios/plugins
game=$tmp/game
cd "$tmp" || exit 1

compile() { # compile SOURCE FILE WORD…: a plugin, as anybody would build it
  source=$1
  library=$2
  shift 2
  ${CC:-cc} -std=c11 -O0 -ffp-contract=off -fPIC -shared -I"${include:-$root/engine/include}" "$@" -o "$library" \
    "$here/$source.c" || fail "$source.c does not compile with $*"
}
hot=heat
a_game() { # a_game PLUGIN…: with these in its game.lua, and five things that are hot
  rm -rf "$game"
  mkdir -p "$game/plugins" "$game/systems"
  plugins=
  for name in "$@"; do plugins="$plugins\"$name\", "; done
  cat >"$game/game.lua" <<END
return { title = "Services", plugins = { $plugins }, start = function() for _ = 1, 5 do world.spawn("stove") end end }
END
  echo "return { stove = { components = { $hot = { rate = 0 }, transform = {} } } }" >"$game/assemblages.lua"
  echo 'return { jump = { "key:space" }, turn = { negative = "key:left", positive = "key:right" } }' >"$game/input.lua"
}
runs() { # runs WORD…: the game, headless
  run_for 60 "$release" run "$game" --headless --no-watch --ticks 5 "$@"
}
asked() { # asked "SQL" WORD…: the last row of what it says
  question=$1
  shift
  run_for 60 "$release" sql "$game" "$question" --ticks 5 "$@"
  tail -n 1 "$tmp/out" | tr -s ' '
}

# ---- libraries of before

version_1() {
  hot=warm
  a_game warm
  hot=heat
  sed -i 's/rate = 0/rate = 1/' "$game/assemblages.lua"
  include=$here/version_1 compile version_1/warm "$game/plugins/warm.so"
  echo 'return { on = { boiled = function(ev) print("boiled", world.tick, ev.count, shoal.plugins.warm.warmest()) end } }' \
    >"$game/systems/hear.lua"
  runs --ticks 8
  exits 0
  says out "boiled	5"
  says err "it was built for version 1 of the interface, whose triangles are drawn no more"
}
it "a library of version 1 of the interface runs, with its components, events, systems and functions" version_1

version_3() {
  a_game heat
  compile heat "$game/plugins/heat.so" -DOTHER_VERSION=3
  runs
  exits 1
  says err "it was built for version 3 of the plugin interface, and this Shoal has version 2"
}
it "one of version 3 is refused with both numbers" version_3

# ---- other plugins' functions

calls() { # calls FLAG…: caller with these
  a_game heat caller
  compile heat "$game/plugins/heat.so"
  compile caller "$game/plugins/caller.so" "$@"
}
called() {
  calls
  runs --strict
  exits 0
  [ "$(asked 'SELECT boiled, why FROM caller')" = " 100 heat.boil: it has no heat to boil with" ] || fail "$(cat "$tmp/out")"
}
it "a plugin calls another one's function, and goes on where that fails" called

wrong() { # wrong "WORDS" FLAG…
  words=$1
  shift
  calls "$@"
  runs
  exits 1
  says err "$words"
}
it "a plugin that is not there is named, with the nearest" \
  wrong "there is no plugin haet: did you mean heat?" '-DWANTED="haet.boil"'
it "a function that it does not have" \
  wrong "the plugin heat has no function bol: did you mean boil?" '-DWANTED="heat.bol"'
it "a name without a plugin" \
  wrong "a function of another plugin is asked for as PLUGIN.FUNCTION, and not as boil" '-DWANTED="boil"'
it "another version, with both numbers" \
  wrong "heat.boil is wanted of version 2, and the plugin heat has version 1" -DWANTED_VERSION=2
it "other types, with both lists" \
  wrong "heat.boil takes (e:entity) and gives (value:number), and it is called as one that takes (e:number)" '-DTAKES="e:number"'
it "a function that changes the world is not called in the render phase" \
  wrong "heat.boil may change the world and cannot be called where nothing may" -DIN_RENDER
it "a service that there is not, with the nearest" \
  wrong "there is no service imput: did you mean input?; there are " '-DSERVICE="imput"' -DSERVICE_VERSION=1
it "a version of one that there is not, with both numbers" \
  wrong "it asks for version 7 of the service input, and this Shoal has version 1" '-DSERVICE="input"' -DSERVICE_VERSION=7
it "a call from a thread of the plugin's own" wrong "it calls shoal_service from a thread of its own" -DTHREAD -pthread
it "an action that there is not, with the nearest" \
  wrong "there is no action jumb in input.lua: did you mean jump?" '-DACTION="jumb"'

kept() {
  calls -DKEEPS
  launch "$release" run "$game" --headless --watch --exec 'print("begins")'
  trap over EXIT
  hears "begins"
  computes "$program" 20
  mark
  compile heat other.so -DLATER
  mv other.so "$game/plugins/heat.so"
  hears "reload refused: it calls a function that was found before the plugins were loaded anew"
  ! ended "$program" || fail "the game is over"
}
it "a function that is kept across a reload is answered with a sentence" kept

# ---- input

actions() {
  calls '-DACTION="jump"'
  cat >"$game/components.lua" <<'END'
return { heard = shoal.types.single { jump = 0 } }
END
  cat >"$game/systems/look.lua" <<'END'
return { update = function()
  world.single.heard.jump = world.single.heard.jump + (input.pressed("jump") and 100 or input.down("jump") and 1 or 0)
end }
END
  luajit "$root/tests/scenarios/lib/keys.lua" keys 300 5 Services || fail "no keys"
  run_for 60 "$release" sql "$game" "SELECT jump > 200, jump = action FROM heard, caller" --replay keys --ticks 300
  [ "$(tail -n 1 "$tmp/out" | tr -s ' ')" = " 1 1" ] || fail "$(cat "$tmp/out" "$tmp/err")"
}
it "a plugin sees the actions that scripts see" actions

# ---- the net plugin, where it was built

if [ -e "${release%/bin/shoal}/plugins/net.so" ]; then
  talks() { # talks WORD…: the example, until forty answers have come, however long that takes
    rm -rf talk
    cp -r "$root/engine/plugins/net/example" talk
    echo 'return { update = function() if world.single.heard.count >= 40 then world.quit() end end }' >talk/systems/stop.lua
    run_for 60 "$release" run talk --headless --no-watch --strict --ticks 4000000 --hash every=50 "$@"
    exits 0
  }
  echoes() {
    talks --record spoken
    grep '^tick' "$tmp/out" >lived
    [ -s lived ] || fail "it was over before anything was said"
    talks --replay spoken
    grep '^tick' "$tmp/out" | cmp -s - lived || fail "$(diff lived "$tmp/out" | head -n 4)"
  }
  it "what the net plugin hears is recorded: a replay without the network gives the same hashes" echoes

  same_port() {
    rm -rf talk
    cp -r "$root/engine/plugins/net/example" talk
    mkdir talk/plugins
    cp "${release%/bin/shoal}/plugins/net.so" talk/plugins/
    echo 'return { every = 10, update = function() local net = world.single.net
      if net.connected then print("port", net.bound, world.single.heard.count) end end }' >talk/systems/tell.lua
    launch "$release" run talk --headless --watch
    trap over EXIT
    hears "port"
    port=$(sed -n 's/^port	\([0-9]*\)	.*/\1/p' "$log" | head -n 1)
    for _ in 1 2 3; do
      mark
      { cat talk/plugins/net.so; printf x; } >new.so
      mv new.so talk/plugins/net.so
      hears "reloaded net.so in"
      mark
      hears "port	$port	"
    done
  }
  it "a reload opens the same port, and clients call again" same_port

  no_port() {
    talks
    rm -rf blocked
    cp -r talk blocked
    sed -i 's/net.listen = true/net.listen, world.single.net.port = true, 70000/' blocked/game.lua
    run_for 60 "$release" run blocked --headless --no-watch --ticks 20
    exits 0
    says err "net: nobody can listen at port 70000"
    sed -i 's/net.listen = true/net.address = "nowhere"/; s/net.listen, .*/net.address = "nowhere"/' blocked/game.lua
    run_for 60 "$release" run blocked --headless --no-watch --ticks 20
    says err "net: “nowhere” is no address: HOST:PORT, as localhost:4000"
  }
  it "a port and an address that cannot be had are a sentence, and the game goes on" no_port
fi

# ---- C++: box2d calls, and is called

if [ -e "${release%/bin/shoal}/plugins/box2d.so" ]; then
  in_cpp() {
    rm -rf "$game"
    mkdir -p "$game/plugins" "$game/systems"
    ${CXX:-c++} -std=c++17 -O0 -Wall -Wextra -Wno-missing-field-initializers -Werror -ffp-contract=off -fPIC -shared \
      -I"$root/engine/include" -o "$game/plugins/wind.so" "$here/wind.cpp" || fail "wind.cpp does not compile"
    cat >"$game/game.lua" <<'END'
return { title = "Wind", plugins = { "box2d", "wind" }, start = function()
  world.single.box2d.gravity_y, world.single.box2d.field = 0, "wind.at"
  world.spawn("crate", { transform = { x = 200, y = 0 } })
  print(shoal.plugins.wind.say(true, "hello"))
  print(pcall(shoal.plugins.wind.say, false, ""))
end }
END
    echo 'return { crate = { components = { transform = {}, box2d_body = {} } } }' >"$game/assemblages.lua"
    run_for 60 "$release" run "$game" --headless --no-watch --ticks 60 --strict --hash every=30
    exits 0
    says out "hello!"
    says out "wind.say: there is nothing to say"
    grep '^tick' "$tmp/out" >lived
    run_for 60 "$release" run "$game" --headless --no-watch --ticks 60 --strict --hash every=30 --check-rollback 5
    grep '^tick' "$tmp/out" | cmp -s - lived || fail "$(diff lived "$tmp/out" | head -n 4)"
    # a second of wind at 120 px/s², and a push of 60 px/s
    [ "$(asked 'SELECT round(vx), round(vy), round(y) > 50, seen = entity FROM box2d_body, transform USING (entity), wind' --ticks 60 |
      cut -c1-9)" = " 120 60 1" ] || fail "$(cat "$tmp/out")"
  }
  it "a plugin in C++ calls box2d, box2d calls it for its wind, and a step back is exact" in_cpp

  no_wind() {
    sed -i 's/wind\.at/wind.att/' "$game/game.lua"
    run_for 60 "$release" run "$game" --headless --no-watch --ticks 5
    exits 1
    says err "error in plugin box2d.step: the plugin wind has no function att: did you mean at?"
  }
  it "a wind that there is not parks the step, with the nearest name" no_wind
fi

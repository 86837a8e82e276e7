# Ports and threads of plugins go over from one instance to the next (engine/include/shoal/outside.h): nothing in a
# queue is lost, what counts goes on counting, and what reaches outside is not tried in copies.
# needs: release
. "$(dirname "$0")/../lib.sh"
here=$root/tests/scenarios/plugins
game=$tmp/game log=$tmp/log program=
export LINK_LOG="$tmp/opened"
cd "$tmp" || exit 1

links() { # links FLAG…: a game with the plugin link, and what its system does each tick on standard input
  rm -rf "$game" && mkdir -p "$game/plugins" "$game/systems"
  rm -f "$LINK_LOG"
  echo "return { title = 'Link', plugins = { 'link' } }" >"$game/game.lua"
  cat >"$game/systems/talk.lua"
  builds link "$@"
}
builds() {
  source=$1
  shift
  ${CC:-cc} -std=c11 -O1 -g -fPIC -shared -pthread -I"$root/engine/include" "$@" -o "$tmp/new.so" "$here/$source.c" ||
    fail "$source.c does not compile with $*"
  mv "$tmp/new.so" "$game/plugins/$source.so"
}
opened() { grep -c . "$LINK_LOG"; }

hundred() {
  links <<'END_OF_LUA'
local link = shoal.plugins.link
return { update = function()
  if link.instances() <= 100 then
    link.dial()
    reload()
  elseif link.instances() == 101 then
    print("taken " .. link.take() .. " by instance " .. link.instances())
  end
end }
END_OF_LUA
  run_for 60 "$release" run "$game" --headless --ticks 101 --strict
  exits 0
  says out "taken 100 by instance 101"
  [ "$(opened)" = 101 ] || fail "it was opened $(opened) times, and no copy may"
}
it "a port that listens goes through 100 reloads, and all that have connected meanwhile are there, in order" hundred

refused() {
  trap stop_program EXIT
  links <<'END_OF_LUA'
local link = shoal.plugins.link
return { update = function()
  if world.tick % 64 == 0 then
    link.dial()
    log.info("tick=%d taken=%d of instance %d .", world.tick, link.take(), link.instances())
  end
end }
END_OF_LUA
  launch "$release" run "$game" --headless --watch --log info
  expect_log "of instance 1 ."
  mark_log
  echo 'return { update = function() error("of the change") end }' >"$game/systems/bad.lua"
  expect_log "reload refused"
  mark_log
  expect_log "of instance 1 ."
  mark_log
  rm "$game/systems/bad.lua"
  expect_log "the refused change was reverted"
  expect_log "of instance 2 ."
  mark_log
  builds link -DNDEBUG -O2
  expect_log "of instance 3 ."
  ! grep -q "connection\|nobody listens" "$log" || fail "$(grep "connection\|nobody listens" "$log" | head -n 3)"
}
it "a reload that is refused gives everything back, and the next one takes it over" refused

inside() {
  links -DINSIDE <<'END_OF_LUA'
return { update = function()
  if world.tick > 0 and shoal.plugins.link.instances() <= 5 then reload() end
  if world.tick == 7 then print("instance " .. shoal.plugins.link.instances()) end
end }
END_OF_LUA
  run_for 60 "$release" run "$game" --headless --ticks 10 --strict
  exits 0
  says out "instance 6"
  ! grep -q "did not come\|declare" err || fail "$(cat err)"
}
it "a thread that is declared goes on in copies of the process, where a system waits for it, and over reloads" inside

undeclared() {
  links -DINSIDE </dev/null
  echo 'return { update = function() end }' >"$game/systems/talk.lua"
  builds threads
  sed -i "s/'link'/'threads'/" "$game/game.lua"
  run_for 60 "$release" run "$game" --headless --ticks 3
  exits 0
  says err "plugin threads: its manager started an undeclared thread"
}
it "one that is not declared is told of" undeclared

stubborn() {
  links -DSTUBBORN -DINSIDE <<'END_OF_LUA'
return { update = function() if world.tick == 1 then reload() end if world.tick == 2 then print("it goes on") end end }
END_OF_LUA
  run_for 60 "$release" run "$game" --headless --ticks 3
  says err "plugin link: its thread counter did not stop within 10 s"
  says out "it goes on"
}
[ -z "$LONG" ] || it "one that does not stop keeps the reload from happening, and the program still ends" stubborn

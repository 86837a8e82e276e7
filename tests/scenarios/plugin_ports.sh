# On a reload, the ports and threads of a plugin are passed to its next instance (engine/include/shoal/external_resources.h):
# queued connections are kept, counters continue, and trial runs in child processes open no ports.
# needs: release
. "$(dirname "$0")/../lib.sh"
here=$root/tests/scenarios/plugins
game=$tmp/game log=$tmp/log program=
export LINK_LOG="$tmp/opened"
cd "$tmp" || exit 1

build_game() { # build_game FLAG…: creates a game with the plugin link and a system from stdin
  rm -rf "$game" && mkdir -p "$game/plugins" "$game/systems"
  rm -f "$LINK_LOG"
  echo "return { title = 'Link', plugins = { 'link' } }" >"$game/game.lua"
  cat >"$game/systems/talk.lua"
  build_plugin link "$@"
}
build_plugin() {
  source=$1
  shift
  ${CC:-cc} -std=c11 -O1 -g -fPIC -shared -pthread -I"$root/engine/include" "$@" -o "$tmp/new.so" "$here/$source.c" ||
    fail "$source.c does not compile with $*"
  mv "$tmp/new.so" "$game/plugins/$source.so"
}
count_opened() { grep -c . "$LINK_LOG"; }

hundred_reloads() {
  build_game <<'END_OF_LUA'
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
  exits 0 out "taken 100 by instance 101"
  [ "$(count_opened)" = 101 ] || fail "expected 101 open calls, got $(count_opened): a child process must not open the port"
}
it "a listening port stays open over 100 reloads, and no connection is lost or reordered" hundred_reloads

rejected_reload() {
  trap stop_program EXIT
  build_game <<'END_OF_LUA'
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
  expect_log "the refused change was reverted" "of instance 2 ."
  mark_log
  build_plugin link -DNDEBUG -O2
  expect_log "of instance 3 ."
  ! grep -q "connection\|cannot connect" "$log" || fail "$(grep "connection\|cannot connect" "$log" | head -n 3)"
}
it "a rejected reload returns ports and threads to the running instance, and the next valid reload hands them over" rejected_reload

declared_thread() {
  build_game -DINSIDE <<'END_OF_LUA'
return { update = function()
  if world.tick > 0 and shoal.plugins.link.instances() <= 5 then reload() end
  if world.tick == 7 then print("instance " .. shoal.plugins.link.instances()) end
end }
END_OF_LUA
  run_for 60 "$release" run "$game" --headless --ticks 10 --strict
  exits 0 out "instance 6"
  ! grep -q "did not come\|declare" err || fail "$(cat err)"
}
it "a declared thread also runs in child processes and resumes after reloads" declared_thread

undeclared_thread() {
  build_game -DINSIDE </dev/null
  echo 'return { update = function() end }' >"$game/systems/talk.lua"
  build_plugin threads
  sed -i "s/'link'/'threads'/" "$game/game.lua"
  run_for 60 "$release" run "$game" --headless --ticks 3
  exits 0 err "plugin threads: manager create of task started an undeclared thread"
}
it "an undeclared thread of a plugin is reported" undeclared_thread

stuck_thread() {
  build_game -DSTUBBORN -DINSIDE <<'END_OF_LUA'
return { update = function() if world.tick == 1 then reload() end if world.tick == 2 then print("it goes on") end end }
END_OF_LUA
  run_for 60 "$release" run "$game" --headless --ticks 3
  says err "plugin link: thread counter did not stop within 10 s"
  says out "it goes on"
}
[ -z "$LONG" ] || it "a plugin thread that does not stop within 10 s prevents the reload, and the game continues" stuck_thread

# What all games share for their players, such as icons, best scores, and end screens that do not disappear while a key
# is still pressed, and the rules of single games.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

# play GAME TICKS LUA [PRESSES]: plays a copy of the game without a window; LUA runs in every tick with the local
# `tick`, in the phase $phase. PRESSES lists keys (lib/random_input.lua).
phase=input
play() {
  rm -rf game data
  cp -r "$root/scripts/games/$1" game
  printf 'return { phase = "%s", update = function()\n  local tick = world.tick\n  %s\nend }\n' "$phase" "$3" \
    >game/systems/zz_stage.lua
  set -- "$2" "$(sed -n 's/.*title = "\([^"]*\)".*/\1/p' game/game.lua)" "${4-}"
  luajit "$root/tests/scenarios/lib/random_input.lua" keys "$1" 1 "$2" "$3" || fail "cannot generate key presses"
  run_for 60 "$release" run game --headless --no-watch --strict --ticks "$1" --replay keys
  exits 0
}
return_key=40 escape=41 space=44 p=19 r=21 down=81 # scancodes

has_icon() {
  icon=$root/scripts/games/$1/assets/icon.png
  grep -q 'icon = "icon.png"' "$root/scripts/games/$1/game.lua" || fail "game.lua names no icon"
  [ "$(od -An -tx1 -j16 -N8 "$icon" | tr -d ' ')" = 0000008000000080 ] || fail "not a PNG of 128 × 128 pixels"
}
for game in "$root"/scripts/games/*/; do
  it "$(basename "$game") has an icon" has_icon "$(basename "$game")"
done

# Names of the games that inspired Shoal's games. Folders may have these names, but the screen must not show them.
shows_own_names() {
  { sed -n '/^ *--/d; s/.*title = "\([^"]*\)".*/\1/p' "$root"/scripts/games/*/game.lua
    sed 's/{ name = "[a-z_]*"//' "$root/scripts/shoal/menu/lib/games.lua"
    cat "$root"/scripts/games/*/strings/*.lua; } >texts
  ! grep -inE 'asteroids|invaders|pong|tron\b|light.?cycle' texts || fail "a text names a trademarked game"
  grep -q Rockfall texts && grep -q "wall of light" texts || fail "the texts are missing"
}
it "the strings of the menu and the games name no trademarked game" shows_own_names

# The menu shows a strip of 24 pictures as a moving tile (scripts/shoal/menu/pictures.sh).
fills_tile() {
  skip_without convert
  convert "$root/scripts/shoal/menu/assets/$1.webp" -crop 240x135 +repage -format '%k\n' info: >out
  [ "$(awk '$1 > 500' out | wc -l)" = 24 ] || fail "a strip has 24 pictures, each with more than 500 colours: $(cat out)"
}
for game in "$root"/scripts/games/*/; do
  it "the menu's tile of $(basename "$game") has no empty picture" fills_tile "$(basename "$game")"
done

# ends_game GAME START AGAIN FIELD: START is the event that begins a game, and AGAIN the event that begins the next one.
# FIELD holds the result of the game, which the end screen shows until its last tick. The end screen appears at tick 60;
# its buttons are enabled a second later.
ends_game() {
  phase=post_update
  play "$1" 140 "
    local match = world.single.match
    if tick == 20 then world.emit('$2') elseif tick == 58 then
      match.$4 = 50
      world.emit('go', { to = 'over' })
    elseif tick == 130 then world.emit('$3') end
    if tick == 100 or tick == 129 then
      local enabled, disabled = 0, 0
      for e in world.each('button', 'widget') do
        if e.widget.disabled then disabled = disabled + 1 else enabled = enabled + 1 end
      end
      print('buttons', tick, enabled, disabled)
    end
    if tick >= 130 then print('result', match.phase, match.$4) end"
  cp out "ended.$1"
}
ends="pong=one_player=again=longest invaders=play=play=score tron=one_player=again=score
  rpg_battle=play=play=score bounty_hunter=play=again=purse rectangle_eater=play=again=points"
settles() {
  requires "ends_game $*"
  says "ended.$1" "buttons	100	0	2"
  says "ended.$1" "buttons	129	2	0"
}
keeps_result() {
  requires "ends_game $*"
  says "ended.$1" "result	over	50"
  ! grep "result	over	0" "ended.$1" || fail "the end screen shows the reset result"
  tail -n 1 "ended.$1" | grep -q "	0$" || fail "the next game does not begin with 0: $(cat "ended.$1")"
}
for game in $(every_nth 2 1 $ends); do
  # shellcheck disable=SC2046
  it "the buttons of the end screen of ${game%%=*} are disabled for one second" settles $(echo "$game" | tr = ' ')
done
for game in $(every_nth 2 1 $ends); do
  # shellcheck disable=SC2046
  it "the end screen of ${game%%=*} keeps its result until the next game begins" keeps_result $(echo "$game" | tr = ' ')
done

no_empty_card() {
  phase=post_update
  play rpg_battle 100 "
    if tick == 20 then world.emit('play') elseif tick == 60 then world.emit('go', { to = 'over' }) end
    for menu, label in pairs { cards = 'title 1', ['over menu'] = 'reached' } do
      menu, label = world.find(menu), world.find(label)
      if menu and menu.widget.visible then print(label.label.text == '' and 'empty' or 'filled', tick) end
    end"
  says out "filled	40" "filled	80"
  ! grep empty out || fail "a menu is shown before it is filled"
}
it "the cards and the end screen of rpg_battle are not shown before their texts are set" no_empty_card

removes_star() {
  play pong 100 "
    if tick == 20 then world.emit('one_player') elseif tick == 58 then world.emit('go', { to = 'over' }) end
    if tick == 55 or tick == 70 then print('stars', tick, world.count('star')) end"
  says out "stars	55	1" "stars	70	0"
}
it "no star covers the end screen of pong" removes_star

# The fleet is replaced by the mother ship, which the next hit destroys.
rewards_boss() {
  play invaders 700 "
    local match = world.single.match
    if tick == 20 then world.emit('play') elseif tick == 30 then
      world.query({ 'invader' }):destroy_all()
      match.wave = 4
      world.emit('go', { to = 'ready' })
    elseif tick == 200 then
      local boss = world.find('boss')
      boss.boss.health = 1
      world.spawn('shot', { transform = { x = boss.transform.x, y = boss.transform.y } })
    end
    if tick % 10 == 0 then print('wave', tick, match.wave, match.lives, world.query({ 'powerup' }).count) end"
  says out "wave	190	5	3	0" "wave	220	5	4	2"
  ! grep -E "wave	[0-9]+	6	[0-9]	[1-9]" out || fail "the next wave removes the power-ups"
  says out "wave	690	6	4	0"
}
it "the mother ship of invaders drops a cannon and two power-ups, and the next wave waits for them" rewards_boss

earns_ships() {
  play asteroids 200 "
    if tick == 20 then world.emit('go', { to = 'playing' }) end
    local points = ({ [100] = 10000, [110] = 9990, [120] = 10, [130] = 19990, [140] = 10 })[tick]
    if points then world.emit('scored', { points = points }) end
    if tick % 10 == 5 and tick > 90 and tick < 150 then print('ships', tick, world.single.score.lives) end"
  says out "ships	95	2" "ships	105	3" "ships	115	3" "ships	125	4" "ships	135	4" "ships	145	5"
}
it "asteroids awards extra ships at 10,000, 20,000, 40,000 … points" earns_ships

# The letters reach from 217 to 1063 and from 150 to 282 pixels.
avoids_name() {
  play asteroids 860 "
    for e in world.each('rock', 'transform', 'hazard') do
      local x, y = e.transform.x, e.transform.y
      local dx, dy = math.max(217 - x, 0, x - 1063), math.max(150 - y, 0, y - 282)
      if dx * dx + dy * dy < e.hazard.radius ^ 2 * 0.5 then print('covers', tick, x, y) end
    end"
  ! grep covers out || fail "a rock covers the name"
}
it "no rock drifts through the game's name on the title screen of asteroids" avoids_name

lantern_settles() { # lantern_settles SCREEN TICK: presses Return a second after the screen appears, and at TICK
  play lantern $(($2 + 40)) "
    if tick == 20 then world.emit('go', { to = 'playing' }) elseif tick == 95 then
      world.single.play.hero:sequence(nil) -- its dialogue would receive the key
    elseif tick == 100 then
      world.emit('go', { to = '$1' })
    end
    if tick == 90 or tick == 170 or tick == $2 + 30 then print('phase', tick, world.single.play.phase) end" \
    "160:$return_key $2:$return_key"
  says out "phase	90	playing" "phase	170	$1"
  ! grep -q "phase	$(($2 + 30))	$1" out || fail "the screen stays: $(cat out)"
}
it "lantern's death screen ignores input for one second" lantern_settles dead 240
it "lantern's ending ignores input for one second" lantern_settles won 300

# Opens the options at tick 20, and their keys at tick 30. A pad has the numbers 704 (connected) and 518 (Start), the
# second pad 705 and 542.
opens_options() {
  play "$1" 110 '
    if tick == 20 then world.options() end
    if tick == 28 then
      local volumes = {}
      for e in world.each("slider") do volumes[#volumes + 1] = e.slider.text:lower() end
      print("volumes " .. table.concat(volumes, " "))
    elseif tick == 30 then
      for e in world.each("shoal.option") do
        if e["shoal.option"].does == "tab" and e["shoal.option"].name == "keys" then world.focus(e) end
      end
    elseif tick == 49 then
      local names = {}
      for e in world.each("label") do
        local row = e:parent()
        local grid = row and row:has("panel") and row:parent()
        if grid and grid:has("panel") and grid.panel.layout == "grid" then names[#names + 1] = e.label.text end
      end
      print("keys: " .. #names .. ": " .. table.concat(names, ", "))
    end
    if tick % 20 == 0 then print("options", tick, world.count("shoal.options")) end' \
    "1-110:704 50:$p 70:518 90:$escape"
  cp out "options.$1"
}

lists_volumes() {
  requires "opens_options $1"
  grep -qE '^volumes (@shoal\.)?master (@shoal\.)?effects (.* )?(@shoal\.)?music' "options.$1" ||
    fail "$(cat "options.$1")"
}
for game in $(every_nth 3 1 "$root"/scripts/games/*/); do
  it "$(basename "$game") lists the volumes master, effects and music in this order" lists_volumes "$(basename "$game")"
done

# The keys of the pause menu do nothing in the options.
keeps_options() {
  requires "opens_options $1"
  says "options.$1" "options	60	1"
  says "options.$1" "options	80	1"
  says "options.$1" "options	100	0"
}
for game in $(every_nth 3 1 "$root"/scripts/games/*/); do
  it "P and Start do not close the options of $(basename "$game")" keeps_options "$(basename "$game")"
done

names_actions() {
  requires "opens_options $1"
  grep -q '^keys: [1-9]' "options.$1" || fail "$(cat "options.$1")"
  ! grep -E '^keys:.*(−|\+|signed|Skip|Start|Go )' "options.$1" ||
    fail "a name is missing, or an action of menus is listed"
}
for game in $(every_nth 3 1 "$root"/scripts/games/*/); do
  name=$(basename "$game")
  it "the options of $name show a name for each action of the game, and no actions of menus" names_actions "$name"
done

# pauses GAME LUA KEY…: LUA begins a game. Each key pauses it for 20 frames, in the ticks 60, 80 and 100.
pauses() {
  name=$1 begin=$2 presses="1-200:704 1-200:705" frame=60
  shift 2
  for key in "$@"; do
    presses="$presses $frame:$key $((frame + 1))-$((frame + 20)):0 $((frame + 20)):$key"
    frame=$((frame + 40))
  done
  play "$name" $((frame - 10)) "
    if tick == 20 then $begin end
    if tick >= 60 then print(world.is_paused() and 'paused' or 'running', tick) end" "$presses"
  cp out "paused.$name"
}
pauses_by_each_key() {
  case $1 in
    asteroids) pauses "$1" "world.emit('go', { to = 'playing' })" $p $escape 518 ;;
    pong | tron) pauses "$1" "world.emit('one_player')" $p $escape 518 ;;
    *) pauses "$1" "world.emit('play')" $p $escape 518 ;;
  esac
}
is_paused_in() { # is_paused_in GAME TICK
  [ "$(grep -c "^paused	$2$" "paused.$1")" = 20 ] ||
    fail "$(grep -c "^paused	$2$" "paused.$1") paused frames: $(tail -n 3 "paused.$1")"
  says "paused.$1" "running	$(($2 + 1))"
}
toggles_pause() {
  requires "pauses_by_each_key $1"
  is_paused_in "$1" "$2"
}
for game in pong invaders tron rpg_battle bounty_hunter rectangle_eater asteroids; do
  for key in P=60 Escape=80 Start=100; do
    it "${key%=*} opens and closes the pause menu of $game" toggles_pause "$game" "${key#*=}"
  done
done
pauses_split_screen() {
  pauses tron "settings.two_players = 'split' world.emit('two_players')" 542
  is_paused_in tron 60
}
it "the second player's Start button opens and closes the pause menu of tron's split screen" pauses_split_screen

# pauses_lantern LUA: P, Escape and Start pause the game, each for 20 frames. LUA runs in tick 40.
pauses_lantern() {
  play lantern 330 "
    local hero, box = world.single.play.hero, world.find('talk').dialogue
    if tick == 20 then world.emit('go', { to = 'playing' }) elseif tick == 40 then $1 end
    if tick >= 60 then print(world.is_paused() and 'paused' or 'running', tick, hero:sequence(), box.shown) end" \
    "1-350:704 120:$p 121-140:0 140:$p 160:$escape 161-180:0 180:$escape 200:518 201-220:0 220:518 290:$space \
310:$space"
  [ "$(grep -c '^paused' out)" = 60 ] || fail "$(grep -c '^paused' out) paused frames: $(tail -n 3 out)"
}
lantern_pause() { pauses_lantern "hero:sequence(nil) hero:enter('played')"; }
it "P, Escape and Start open and close the pause menu of lantern" lantern_pause

# The box shows six letters a second, until Space shows the rest of the line. The second Space closes the box.
lantern_dialogue() {
  pauses_lantern "box.speed = 6 hero:sequence('keeper')"
  awk '$1 == "paused" { if ($4 != shown) exit 1 } { shown = $4 }' out || fail "a paused dialogue shows more letters"
  grep -q "running	220	keeper	1[78]" out || fail "the dialogue does not continue: $(grep "	220	" out)"
  [ "$(tail -n 1 out | cut -f 3)" = nil ] || fail "the dialogue does not end: $(tail -n 1 out)"
}
it "a dialogue of lantern can be paused, and continues afterwards" lantern_dialogue

loads_from_pause() {
  rm -rf game data
  cp -r "$root/scripts/games/lantern" game
  cat >game/systems/zz_stage.lua <<'END'
return { phase = "input", update = function()
  local count = #world.saves()
  if world.tick == 40 then world.save("slot 1") end
  if world.tick == 60 and count == 1 then
    require("pause").open("pause_menu")
  elseif world.is_paused() and count == 1 then
    world.save("slot 2") -- keeps the game from being loaded again
  elseif world.is_paused() and world.tick == 61 then
    world.emit("menu_loads")
  end
  print(world.is_paused() and "paused" or "running", world.tick, require("pause").is_open())
end }
END
  run_for 60 "$release" run game --headless --no-watch --ticks 80
  exits 0 out "paused	61	true"
  [ "$(tail -n 1 out)" = "running	79	false" ] || fail "$(tail -n 1 out)"
}
it "lantern continues after a load from its pause menu" loads_from_pause

# The options cover the pause menu, so P closes neither of them; Escape closes them first.
options_in_pause() {
  play "$1" 130 "
    if tick == 20 then world.emit('$2') end
    if world.is_paused() then
      print('frame', world.count('shoal.options'), world.find('pause') ~= nil)
      if not world.find('options are opened') then
        world.spawn(nil, { name = 'options are opened' })
        world.options()
      end
    end" "60:$p 61-120:0 80:$p 90:$escape 120:$p"
  [ "$(grep -c '^frame	1	true' out)" = 29 ] || fail "$(sort out | uniq -c)"
  [ "$(tail -n 1 out)" = "frame	0	false" ] || fail "$(tail -n 3 out)"
}
for game in $(every_nth 2 1 pong=one_player invaders=play tron=one_player rpg_battle=play bounty_hunter=play rectangle_eater=play); do
  it "P does not close the options above the pause menu of ${game%=*}" options_in_pause "${game%=*}" "${game#*=}"
done

# The letters of the title are hidden while the options, opened at tick 20 and closed by Escape at tick 50, cover them.
hides_title() {
  play "$1" 80 '
    if tick == 20 then world.emit("menu.options") end
    if tick == 15 or tick == 45 or tick == 75 then
      print("title", world.count("shoal.options"), world.query({ "menu.backdrop" }).count > 0)
    end' "50:$escape"
  [ "$(grep '^title' out)" = "$(printf 'title\t0\ttrue\ntitle\t1\tfalse\ntitle\t0\ttrue')" ] || fail "$(cat out)"
}
for game in pong invaders; do
  it "the title of $game is hidden while its options are open" hides_title "$game"
done

# reports_best GAME EVENT LUA [IS_BEST]: starts a game with the event and with the best score $best. LUA runs in each
# tick from 100 on and scores points. IS_BEST is true if the end screen announces a new best score.
reports_best() {
  play "$1" 300 "
    if tick == 5 then settings.best = $best elseif tick == 20 then world.emit($2) end
    if tick >= 100 then $3 end
    if tick == 290 then print('best', settings.best > $best, ${4-world.single.match.is_best}) end"
}
first_best() {
  best=0
  reports_best "$@"
  says out "best	true	false"
  best=1
  reports_best "$@"
  says out "best	true	true"
}
announces() { it "$1 announces a new best score only if there was an earlier best score" first_best "$@"; }
announces asteroids "'go', { to = 'playing' }" "if tick == 100 then world.emit('scored', { points = 50 }) end" \
  "world.single.score.record > 0 and world.single.score.points > world.single.score.record"
announces bounty_hunter "'play'" "for e in world.each('stash') do e.stash.gold = e.stash.player > 0 and 50 or 0 end
  if tick == 120 then world.emit('go', { to = 'tally' }) end"
announces invaders "'play'" "for e in world.each('invader', 'transform') do
    world.spawn('shot', { transform = { x = e.transform.x, y = e.transform.y } }) break end"
announces pong "'one_player'" "if tick == 100 then world.single.match.rally = 50 end
  for b in world.each('ball', 'transform') do
    for e in world.each('paddle', 'transform') do e.transform.y = b.transform.y end
  end"
announces rpg_battle "'play'" "if tick == 100 then world.single.match.score = 50 end"
announces tron "'one_player'" "if tick == 100 then world.single.match.score = 50 end"

keys_in_order() {
  play asteroids 60 '
    if tick == 20 then world.options() elseif tick == 30 then
      for e in world.each("shoal.option") do
        if e["shoal.option"].does == "tab" and e["shoal.option"].name == "keys" then world.focus(e) end
      end
    elseif tick == 50 then
      local names = {}
      for e in world.each("shoal.option") do
        local option = e["shoal.option"]
        if option.does == "key" and not option.pad then names[#names + 1] = option.name end
      end
      print("keys " .. table.concat(names, " "))
    end'
  says out "keys left right thrust"
}
it "the options of asteroids list the actions in the order of input.lua" keys_in_order

many_keys() {
  play asteroids 60 '
    if tick == 20 then
      input.bind("left", { "key:right shift", "key:keypad enter", "key:left ctrl", "pad:a" })
      input.bind("thrust", { "key:up", "key:w" })
      world.options()
    elseif tick == 30 then
      for e in world.each("shoal.option") do
        if e["shoal.option"].does == "tab" and e["shoal.option"].name == "keys" then world.focus(e) end
      end
    elseif tick == 50 then
      for e in world.each("shoal.option") do
        local option = e["shoal.option"]
        if option.does == "key" and not option.pad then print(option.name .. ": " .. e.button.text) end
      end
    end'
  says out 'left: @shoal.listed {"first":"@shoal.key_right_shift","rest":"…"}'
  says out 'thrust: @shoal.listed {"first":"@shoal.key_up","rest":"W"}'
}
it "the options of asteroids show … in place of key names that do not fit" many_keys

# demo_ends_in_game GAME FIELD VALUE PHASE: match.FIELD is VALUE in the demo; a new game begins in PHASE.
demo_ends_in_game() {
  play "$1" 990 "
    local match = world.single.match
    if tick == 890 or tick == 955 or tick == 980 then
      print('demo', tick, match.phase ~= 'title', match.$2 == $3, match.phase)
    end" "960:$return_key"
  says out "demo	890	false" "demo	955	true	true" "demo	980	true	false	$4"
}
for game in $(every_nth 3 2 invaders=ready rpg_battle=cards rectangle_eater=course); do
  it "a key press that ends the demo of ${game%=*} starts a game" demo_ends_in_game "${game%=*}" demo true "${game#*=}"
done
for game in $(every_nth 3 1 pong=serve tron=ready bounty_hunter=ready); do
  it "a key press that ends the demo of ${game%=*} starts a game" demo_ends_in_game "${game%=*}" players 0 "${game#*=}"
done

# --- Asteroids

asteroids_over() {
  play asteroids 200 '
    if tick == 60 then world.emit("go", { to = "over" }) end
    if tick == 40 or tick == 110 or tick == 180 then print("phase", tick, world.single.game.phase) end' \
    "20:$return_key 90:$space 150:$space"
  says out "phase	40	playing" "phase	110	over" "phase	180	playing"
}
it "asteroids' end screen ignores input for one second" asteroids_over

asteroids_menus() {
  play asteroids 160 '
    if tick % 20 == 15 or world.is_paused() then
      print("menu", tick, world.single.game.phase, world.query({ "button" }).count, world.query({ "slider" }).count)
    end' "20:$return_key 60:$p 61-80:0 80:$p 100:$escape 101-160:0 115:$down 125:$return_key"
  says out "menu	15	title	4	0" "menu	55	playing	0	0" "menu	60	paused	3	0" "menu	75	playing	0	0"
  grep -q "menu	80	paused	[0-9]*	3" out || fail "$(cat out)"
}
it "the menus of asteroids start and pause the game, and open options with three volumes" asteroids_menus

title_rocks() {
  play asteroids 290 '
    for e in world.each("rock", "transform") do
      local reach = e.rock.size == "large" and 50 or 25
      if tick > 10 and math.abs(e.transform.x - 640) < 250 + reach and math.abs(e.transform.y - 500) < 170 + reach then
        print("in the way", tick, e.transform.x, e.transform.y)
      end
    end
    if tick == 280 then print(world.single.game.phase, world.count("rock_large")) end'
  says out "title	3"
  ! grep -q "in the way" out || fail "$(head -n 3 out)"
}
it "rocks on the title screen of asteroids stay away from the menu and the keys" title_rocks

mother_ship() {
  play asteroids 560 '
    local wave = world.single.wave
    if tick == 20 then world.emit("play") elseif tick == 60 then wave.number, wave.wait = 4, 0.1 end
    local mother
    for e in world.each("mother_ship", "transform") do mother = e end
    if tick > 80 then
      for e in world.each("rock") do e:destroy() end
      for e in world.each("hazard") do if e:assemblage() == "shell" then e:destroy() end end
    end
    if mother and tick > 120 and tick % 10 == 0 then
      world.spawn("bullet", { transform = { x = mother.transform.x, y = mother.transform.y } })
    end
    if tick % 10 == 5 then
      print("wave", wave.number, mother and mother.mother_ship.armour or "none", world.single.score.points)
    end'
  says out "wave	4	14	0" "wave	4	0	0" "wave	5	none	2500"
  ! grep -q "wave	5	[0-9]" out || fail "wave 5 begins before the mother ship is destroyed"
}
it "the fourth wave of asteroids brings a mother ship that needs many hits" mother_ship

# --- Rectangle Eater

bite_scores() {
  play rectangle_eater 80 '
    if tick == 20 then world.emit("play") end
    if tick == 30 or tick == 40 then
      for i = 1, 2 do world.emit("eaten", { x = 600 + 9 * i, y = 400, points = tick + i }) end
      world.emit("eaten", { x = 900, y = 150, points = 7 })
    elseif tick == 45 then
      for e in world.each("popup", "text") do print("popup", e.text.value) end
    end'
  [ "$(grep -c popup out)" = 2 ] || fail "$(cat out)"
  says out "popup	146" # 31 + 32 + 41 + 42
  says out "popup	14"
}
it "the scores of adjacent bites in rectangle_eater are added up in one number" bite_scores

best_score() { # best_score BEST: plays a game that eats one rectangle after an earlier best score
  play rectangle_eater 60 "
    if tick == 5 then settings.best = $1 elseif tick == 20 then world.emit('play') elseif tick == 30 then
      for e in world.each('playerControlled', 'position') do
        world.spawn('morsel', { position = { x = e.position.x, y = e.position.y }, collision = { size = 8 } })
      end
    elseif tick == 50 then
      print(world.single.match.points > $1, settings.best > $1, 'best', world.single.match.is_best)
    end"
}
first_score() {
  best_score 0
  says out "true	true	best	false"
  best_score 1
  says out "true	true	best	true"
}
it "a score in rectangle_eater is a new best score only if there was an earlier best score" first_score

calm_start() {
  play rectangle_eater 720 '
    if tick == 20 then world.emit("play") end
    for e in world.each("collision") do if not e:has("playerControlled") then e:destroy() end end
    if tick == 480 or tick == 700 then
      for e in world.each("playerControlled", "health") do print("belly", tick, math.floor(e.health.value)) end
    end'
  [ "$(sed -n 's/belly	480	//p' out)" -gt "$(sed -n 's/belly	700	//p' out)" ] || fail "$(cat out)"
  play rectangle_eater 480 '
    if tick == 20 then world.emit("play") end
    for e in world.each("collision") do if not e:has("playerControlled") then e:destroy() end end
    if tick == 30 or tick == 470 then
      for e in world.each("playerControlled", "health") do print("belly", e.health.value) end
    end'
  [ "$(grep belly out | uniq | wc -l)" = 1 ] || fail "the eater is hungry at once: $(cat out)"
}
it "the eater in rectangle_eater without a bite gets hungry only after eight seconds" calm_start

# --- Tron

countdown() {
  play tron 160 '
    if tick == 20 then world.emit("one_player") end
    local numbers = 0
    for e in world.each("text") do numbers = numbers + (e.text.value:find("^[123G]o?!?$") and 1 or 0) end
    if tick < 140 then print("numbers", numbers) end
    if tick == 159 then
      local walls = 0
      for e in world.each("wall") do walls = walls + (e.wall.side == 0 and 1 or 0) end
      print("round", world.single.match.phase, walls, world.count("gem") > 1)
    end'
  says out "numbers	1"
  ! grep -q "numbers	2" out || fail "two numbers at a time"
  says out "round	play	8	true"
}
it "the numbers of tron's countdown do not overlap, and the first arena has walls and gems" countdown

rival_avoids_walls() {
  play tron 240 '
    if tick == 20 then world.emit("one_player") end
    local rival, grid = world.find("cycle 2"), require "lib.grid"
    if tick > 140 and tick % 30 == 0 and rival then -- a wall next to the rival, which has just decided to go on
      local cycle = rival.cycle
      local x, y = cycle.x + 2 * grid.dx[cycle.dir], cycle.y + 2 * grid.dy[cycle.dir]
      grid.wall(0, x, y, x, y)
    end
    if tick == 239 then print("rival", rival ~= nil) end'
  says out "rival	true"
}
it "the first rival in tron turns away from a wall that appears in front of it" rival_avoids_walls

gem_words() {
  play tron 190 '
    if tick == 20 then world.emit("one_player") end
    if tick == 160 then world.emit("burst", { kind = "purge", side = 2, x = 640, y = 300 }) end
    if tick == 170 then world.emit("burst", { kind = "breach", side = 1, x = 1270, y = 90 }) end
    if tick == 180 then
      for e in world.each("text", "transform") do print("words", e.text.value, e.transform.x) end
    end'
  says out "words	@taken.breach	1120"
  ! grep -q "@taken.purge" out || fail "the rival's gem speaks to the player"
}
it "tron shows words for the player's gem, but not for a rival's gem, away from the arena's edge" gem_words

walls_remain() {
  play tron 180 '
    if tick == 20 then world.emit("one_player") elseif tick == 160 then world.emit("go", { to = "over" }) end
    if tick == 175 then print("over", world.count("cycle"), world.count("gem"), world.count("wall") > 2) end'
  says out "over	0	0	true"
}
it "the walls of the last round remain on the end screen of tron" walls_remain

# --- RPG Battle

retreat() {
  play rpg_battle 420 '
    local match = world.single.match
    if tick == 20 then world.emit("play") elseif tick == 40 or tick == 300 then world.emit("card1") end
    if tick == 30 then
      print("enemies", world.find("enemies").label.text)
      for i = 1, 3 do print("picture", world.find("picture " .. i).label.frame == match["card" .. i]) end
    end
    if tick % 50 == 10 then print("battle", tick, match.phase, match.battle, match.retreats, match.score) end' \
    "100:$r 360:$r"
  says out 'enemies	@next_battle.2 {"a":"@kinds.melee {\"n\":1}","b":"@kinds.imp {\"n\":2}"}'
  says out "battle	60	battle	1	1" "battle	110	after	1	0" "battle	260	cards	1	0"
  says out "battle	410	battle	1	0" # there is one retreat in a run
  [ "$(grep -c "picture	true" out)" = 3 ] || fail "a card shows another picture"
}
it "a retreat in rpg_battle ends a battle once per run, and the battle is repeated with a new card" retreat

cards_fit() {
  play rpg_battle 200 '
    local match = world.single.match
    if tick == 20 then world.emit("play") end
    if tick >= 40 and tick < 160 and tick % 30 == 10 then
      for i = 1, 3 do match["card" .. i] = math.floor((tick - 40) / 30) * 3 + i end
      world.emit("deal")
    elseif tick >= 40 and tick % 30 == 5 then
      for e in world.each("button", "widget") do
        local card, button = e:parent().widget, e.widget
        print("inside", button.at_y + button.at_height < card.at_y + card.at_height - 8)
      end
    end'
  [ "$(grep -c "inside	true" out)" -ge 12 ] || fail "too few cards: $(cat out)"
  ! grep -q "inside	false" out || fail "the text of a card pushes its button out of the card"
}
it "the buttons of all cards of rpg_battle are inside their cards" cards_fit

night_falls() {
  play rpg_battle 300 '
    local match, field = world.single.match, world.find("field")
    if tick == 20 then world.emit("play") elseif tick == 120 then match.battle = 7 world.emit("go", { to = "cards" }) end
    if tick == 10 or tick == 110 or tick == 290 then print("field", tick, field.sprite.tint.r < 0.6) end'
  says out "field	10	false" "field	110	false" "field	290	true"
}
it "the field of rpg_battle is bright at the start of a run and dark before the last battle" night_falls

aimed_damage() {
  play rpg_battle 120 '
    local match = world.single.match
    if tick == 20 then world.emit("play") elseif tick == 40 then world.emit("card1") end
    local a, b
    for e in world.each("unit", "health") do
      if e.unit.side == -1 then b = b or a a = a or e end
    end
    if tick == 60 then
      for e in world.each("unit", "health") do if e:has("shield") then e:remove("shield") end end
      match.focus = a
      world.emit("hurt", { target = a, points = 4 })
    elseif tick == 61 then
      print("lost", a.health.max - a.health.points)
    end'
  says out "lost	6"
}
it "an enemy at which the player of rpg_battle aims takes 50 % more damage" aimed_damage

# Many blows hit two adjacent knights in one tick: the numbers must not cover each other in any tick.
numbers_apart() {
  play rpg_battle 180 '
    local match = world.single.match
    if tick == 20 then world.emit("play")
    elseif tick == 30 then match.battle = 1 world.emit("go", { to = "battle" }) end
    if tick >= 60 and tick % 9 == 0 then
      for i = 1, 3 do world.emit("burst", { kind = "cut", x = 600 + 12 * i, y = 440, words = "15" }) end
    end
    local list = {}
    for e in world.each("number", "transform") do list[#list + 1] = e.transform end
    for i, a in ipairs(list) do
      for j = i + 1, #list do
        local b = list[j]
        if math.abs(a.x - b.x) < 30 and math.abs(a.y - b.y) < 17 then print("overlap", tick) end
      end
    end
    if tick == 170 then print("numbers", #list > 12) end'
  says out "numbers	true"
  ! grep -q overlap out || fail "numbers cover each other: $(cat out)"
}
it "the damage numbers of many hits in one place of rpg_battle do not overlap" numbers_apart

stamp_hurts() {
  play rpg_battle 110 '
    local match = world.single.match
    if tick == 20 then world.emit("play") elseif tick == 30 then match.battle = 8 world.emit("go", { to = "battle" }) end
    local giant, near, far
    for e in world.each("unit", "health") do
      if e:has("stomp") then giant = e elseif e.unit.side == -1 then e:destroy()
      elseif not near then near = e else far = e end
    end
    if tick == 60 then
      for e in world.each("shield") do e:remove("shield") end
      giant:remove("sword")
      giant.stomp.raised = 0.25
    end
    if tick >= 60 and tick <= 80 then
      near.transform.x, near.transform.y = giant.transform.x - 90, giant.transform.y
      far.transform.x, far.transform.y = giant.transform.x - 400, giant.transform.y
    elseif tick == 81 then
      print("stamp", near.health.points < near.health.max, far.health.points < far.health.max)
      print("giant", giant.health.max > 3 * near.health.max)
    end'
  says out "stamp	true	false" "giant	true"
}
it "rpg_battle's giant has over three times a fighter's health, and its stomp hurts only fighters near it" stamp_hurts

# Runs with ten seeds, only with --long, because a run takes seconds.
fair_runs() {
  won=0
  rm -rf game data
  cp -r "$root/scripts/games/rpg_battle" game
  cp "$root/tests/scenarios/lib/battle_policy.lua" game/systems/zz_policy.lua
  for seed in 1 2 3 4 5 6 7 8 9 10; do
    run_for 60 "$release" run game --headless --no-watch --strict --seed "$seed" --ticks 25000
    exits 0 out "run	"
    ! grep -q "run	won" out || won=$((won + 1))
  done
  [ "$won" -ge 3 ] && [ "$won" -le 9 ] || fail "$won of 10 runs won"
}
[ -z "$LONG" ] || it "a simple policy wins some of ten runs of rpg_battle, but not all" fair_runs

monsters_remain() {
  play rpg_battle 180 '
    if tick == 20 then world.emit("play") elseif tick == 40 then world.emit("card1")
    elseif tick == 60 then
      for e in world.each("unit") do
        if e.unit.side == 1 then e:disable() else e.transform.x = 640 end
      end
      world.emit("go", { to = "over" })
    elseif tick == 175 then
      local home, count = 0, 0
      for e in world.each("unit") do
        count, home = count + 1, home + (math.abs(e.transform.x - e.unit.home_x) < 1 and 1 or 0)
      end
      print("monsters", count, home)
    end'
  says out "monsters	3	3"
}
it "monsters of rpg_battle that beat the player return to their initial positions" monsters_remain

# --- Lantern

box_avoids_hero() {
  play lantern 150 '
    local hero, eye, talk = world.single.play.hero, world.find("eye"), world.find("talk")
    if tick == 20 then world.emit("go", { to = "playing" }) elseif tick == 95 then hero:sequence("locked") end
    if tick > 95 then hero.transform.y = eye.transform.y + (tick < 120 and 60 or 0) end
    if tick == 118 or tick == 148 then print("box", world.count("saying"), talk.widget.anchor) end'
  says out "box	1	top" "box	1	bottom"
}
it "the dialogue box of lantern is at the edge of the screen that is farther from the hero" box_avoids_hero

# --- Pong

ghost_ball() {
  play pong 1800 '
    if tick == 20 then world.emit("one_player") end
    local match, legs, ghosts = world.single.match, 0, 0
    for e in world.each("leg") do
      if e.leg.is_ghost then ghosts = ghosts + 1 else legs = legs + 1 end
    end
    local goals = match.left + match.right
    if match.phase == "play" and match.clock > 0.5 then print("rally", math.min(goals, 1), ghosts > 0) end
    if match.phase == "point" and match.clock > 0.1 then print("point", legs > 0) end'
  says out "rally	0	false" "rally	1	true"
  [ "$(grep -c "rally	1	true" out)" -gt 100 ] || fail "the ghost disappears: $(sort out | uniq -c)"
  says out "point	true"
}
it "pong shows the ball's path in the previous rally as a ghost" ghost_ball

# All balls are hit. The star is in the way of a ball that was served or that the left paddle has hit; a served ball
# passes through the star without an effect.
star_smash() {
  play pong 900 '
    if tick == 20 then world.emit("one_player") end
    for b in world.each("ball", "transform") do
      for e in world.each("paddle", "transform") do e.transform.y = b.transform.y end
      for star in world.each("star", "transform") do
        star.star.vy, star.transform.y = 0, b.ball.last < 0 and b.transform.y or b.ball.last == 0 and 360 or 100
        if b.ball.last > 0 and b.transform.y < 300 then star.transform.y = 600 end
      end
      local left
      for e in world.each("paddle") do if e.paddle.side < 0 then left = e.paddle end end
      print("charge", world.single.match.stars > 0, left.charged, b.ball.smash)
      if b.ball.smash then print("fast", math.abs(b.ball.vx) > math.min(1300, 1.2 * b.ball.pace)) end
    end'
  says out "charge	false	false	false" "charge	true	true	false" "charge	true	false	true" "fast	true"
  ! grep -q "charge	false	true\|charge	false	.*	true\|fast	false" out || fail "smashed without a star: $(sort out | uniq -c)"
}
it "a ball that passes through the star of pong charges the paddle, and its next hit is a smash" star_smash

# --- Invaders

boss_wave() {
  play invaders 1000 '
    local match, boss = world.single.match, world.find("boss")
    if tick == 20 then world.emit("play") end
    if tick == 150 then match.wave = 4 end
    if tick >= 150 and match.phase == "play" then -- every fleet is destroyed immediately, and the boss is shot at
      for e in world.each("invader") do e:destroy() end
      if world.find("cannon") then world.find("cannon").cannon.grace = 9 end
      if boss and tick % 6 == 0 then
        world.spawn("shot", { transform = { x = boss.transform.x, y = boss.transform.y + 120 } })
      end
    end
    if boss and tick % 10 == 0 then
      print("boss", match.wave, world.count("invader"), boss.boss.health < boss.boss.max, world.count("bomb") > 0)
    end
    if tick == 999 then print("after", match.wave > 5, match.score >= 500) end'
  says out "boss	5	0	false	false" "boss	5	0	true	true" "after	true	true"
  ! grep -q "boss	[^5]" out || fail "another wave has a boss"
}
it "the fifth wave of invaders is a boss that drops bombs and needs many hits" boss_wave

three_shots() {
  play invaders 400 '
    if tick == 20 then world.emit("play") elseif tick > 200 then
      for e in world.each("invader") do e.body.enabled = false end
      print("shots", world.count("shot"))
    end' "$(seq -f "%g:$space" -s ' ' 150 399)"
  says out "shots	3"
  ! grep -q "shots	4" out || fail "more than three shots"
}
it "the cannon of invaders can have at most three shots on the screen" three_shots

# --- Bounty Hunter

# first_day GOLD: runs days 1 and 2 of a single player with GOLD; the rivals have 10, 20 and 30
first_day() {
  play bounty_hunter 1100 "
    local match = world.single.match
    if tick == 20 then world.emit('play') end
    if match.phase == 'hunt' and match.clock > 1 and match.clock < 1.1 then
      for e in world.each('stash') do
        e.stash.gold = e.stash.player > 0 and $1 or 10 * e.stash.number
      end
      match.left = 0
    end
    if match.phase == 'tally' and match.clock > 1 and match.clock < 1.02 then
      print('day', match.day, match.leaves == 1, match.warned, match.last)
    end"
}
second_chance() {
  first_day 1
  says out "day	1	false	true	false" "day	2	true	true	true"
  first_day 50
  says out "day	1	false	false	false" "day	2	false	false	false"
}
it "the poorest player of bounty_hunter is warned on the first day and must leave on the second day" second_chance

beginner_pace() {
  for best in 0 40; do
    play bounty_hunter 400 "
      if tick == 5 then settings.best = $best elseif tick == 20 then world.emit('play') end
      local fastest = 0
      for e in world.each('hunter', 'intent') do
        local x, y = e.intent.x, e.intent.y
        if e.hunter.home.stash.player == 0 then fastest = math.max(fastest, math.sqrt(x * x + y * y)) end
      end
      if tick > 300 then print('pace', $best, fastest < 0.7) end"
    says out "pace	$best	$([ $best = 0 ] && echo true || echo false)"
  done
}
it "rivals in bounty_hunter ride more slowly if the player has no best score" beginner_pace

# --- Lantern

pixel_font() {
  cat >check.lua <<'LUA'
local folder = arg[1]
package.path = folder .. "/assets/source/?.lua;" .. package.path
local font = require "font"
assert(font.encode() == io.open(folder .. "/assets/pixels.ttf", "rb"):read "*a", "pixels.ttf: run assets/generate.lua")
local function check(value)
  for _, text in pairs(value) do
    if type(text) == "table" then check(text) else
      assert(not font.find_missing(text), ("%s: the font lacks %s"):format(text, font.find_missing(text) or ""))
    end
  end
end
for _, language in ipairs { "en", "de", "fr" } do
  check(dofile(folder .. "/strings/" .. language .. ".lua"))
  check(dofile(folder .. "/../../addons/menu/strings/" .. language .. ".lua"))
  check(dofile(folder .. "/../../shoal/kit/ui_strings.lua").strings[language])
end
LUA
  luajit check.lua "$root/scripts/games/lantern" || fail "the font does not fit the game"
}
it "lantern's pixel font is up to date and has all characters of its English, German and French strings" pixel_font

# lantern_scene TICKS LUA PRESSES: skips the opening, and places the hero left of the keeper at tick 90
lantern_scene() {
  play lantern "$1" '
    local hero, keeper = world.single.play.hero, world.find("keeper")
    if tick == 10 then world.emit("go", { to = "playing" }) end
    if tick == 80 then hero:sequence(nil) hero:enter("played") end
    if tick == 90 then
      hero.transform.x, hero.transform.y = keeper.transform.x - 13, keeper.transform.y
      hero.walk.x, hero.walk.y = 1, 0
    end
    if tick > 90 and keeper then
      '"$2"'
    end' "$3"
}
strikes_slime() {
  lantern_scene 130 '
      local slime
      for e in world.each("slime") do slime = e end
      if tick == 95 then
        slime.transform.x, slime.transform.y = keeper.transform.x, keeper.transform.y + 14
      end
      if tick > 100 then print("strikes", hero:has "striking", hero:state()) end' "100:$space"
  says out "strikes	true	played"
  ! grep -q led out || fail "the keeper talks: $(head -n 5 out)"
}
it "Space in lantern strikes instead of talking to the keeper while a slime is near" strikes_slime

dialogue_is_safe() {
  lantern_scene 400 '
      local slime
      for e in world.each("slime") do slime = e end
      if tick == 95 then
        for e in world.each("slime") do if e ~= slime then e:destroy() end end
        slime.transform.x, slime.transform.y = keeper.transform.x + 60, keeper.transform.y
      end
      if tick == 110 or tick == 230 then print("slime", hero:state(), slime.transform.x, slime.transform.y) end
      if tick > 230 and hero:state() == "played" and hero.health.grace > 1.4 then print("safe") end' \
    "100:$space 240:$space 260:$space"
  [ "$(grep "slime	led" out | sort -u | wc -l)" = 1 ] || fail "the slime moves: $(cat out)"
  says out "safe"
}
it "slimes in lantern stand still during a dialogue, and the hero is briefly invulnerable afterwards" dialogue_is_safe

slimes_flee_keeper() {
  lantern_scene 700 '
      for e in world.each("slime") do
        local dx, dy = e.transform.x - keeper.transform.x, e.transform.y - keeper.transform.y
        if tick > 400 and dx * dx + dy * dy < 80 * 80 then print("close", tick) end
      end' ""
  ! grep -q close out || fail "$(head -n 3 out)"
}
it "slimes in lantern stay away from the keeper" slimes_flee_keeper

closed_door() {
  lantern_scene 500 '
      if tick == 95 then
        local door = world.spawn("great_door", { name = "great door",
          transform = { x = hero.transform.x + 60, y = hero.transform.y } })
        hero.transform.x, hero.transform.y = door.transform.x, door.transform.y + 16
        hero.walk.x, hero.walk.y = 0, -1
      end
      if tick % 20 == 0 then print("door", tick, hero:state()) end
      if hero:has "striking" then print("strikes", tick > 200) end' \
    "100:$space 200:$space 215:$space 250:$space"
  says out "door	120	led" "strikes	true"
}
it "the locked door in lantern does not repeat its message immediately" closed_door

keys_in_texts() {
  ! grep -n "press X\|Xで" "$root"/scripts/games/lantern/strings/*.lua || fail "a text names a key"
}
it "no string in lantern names a key that the player can change" keys_in_texts

# Prints what the add-on `menu` shows for the controls of a game, before and after the player binds different keys.
names_controls() {
  rm -rf game data
  mkdir -p game/systems
  echo 'return { title = "Controls", addons = { "menu" } }' >game/game.lua
  echo 'return { best = 1 }' >game/settings.lua
  cat >game/input.lua <<'LUA'
return {
  x = { axis = "pad:leftx", negative = { "key:a", "key2:left" }, positive = { "key:d", "key2:right" } },
  y = { axis = "pad:lefty", negative = { "key:w", "key2:up" }, positive = { "key:s", "key2:down" } },
  turn = "key:left", fire = { "key:space", "pad:a" },
}
LUA
  cat >game/systems/prints.lua <<'LUA'
local menu = require "menu"
local function show(what)
  local all = { "y-", "x-", "y+", "x+" }
  print(what, menu.name_control(all), menu.name_control(all, 1), menu.name_control(all, 2),
    menu.name_control { "x-", "x+" }, menu.name_control { "turn" }, menu.name_control { "fire" })
end
return { phase = "input", update = function()
  if world.tick == 1 then show "declared" end
  if world.tick == 2 then input.bind("y", "key:e", "negative") input.bind("turn", "key:q") end
  if world.tick == 3 then show "letters" end
  if world.tick == 4 then input.bind("x", "key:left shift", "negative") input.bind("fire", "key:return") end
  if world.tick == 5 then show "names" print(menu.name_history_keys()) end
end }
LUA
  run_for 20 "$release" run game --headless --no-watch --strict --temporary-saves --ticks 6
  exits 0 out "declared	WASD or arrows	WASD	arrows	A D or arrows	Left	Space"
  says out "letters	EASD	EASD	Down	A D or arrows	Q	Space"
  says out "names	E, Left Shift, S, D	E, Left Shift, S, D	Down	Left Shift, D	Q	Return"
  says out "Hold F9: rewind     F12: save a clip"
}
it "the add-on menu names controls by letters, arrows or key names, and follows the player's bindings" names_controls

# show_title GAME PICTURE LUA: takes a picture of the title screen; LUA runs in the first tick.
show_title() {
  rm -rf game data
  cp -r "$root/scripts/games/$1" game
  echo "return { phase = 'input', update = function() if world.tick == 1 then $3 end end }" >game/systems/zz_bind.lua
  export SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy
  run_for 60 "$release" run game --no-watch --no-cockpit --history 0 --temporary-saves --seed 1 --ticks 20 \
    --screenshot "$2"
  exits 0
  [ -e "$2" ] || skip "no screenshot: $(tail -n 1 "$tmp/err")"
}
title_follows_bindings() {
  skip_without compare
  show_title "$1" before.png ""
  show_title "$1" after.png "for _, name in ipairs(input.actions()) do
    if ('go_x go_y move left up last'):find(name) then
      local is_axis = pcall(input.bind, name, 'key:f1', 'negative')
      if not is_axis then input.bind(name, 'key:f1') end
    end
  end"
  [ "$(compare -metric AE before.png after.png null: 2>&1 | sed 's/[ .].*//')" -gt 20 ] ||
    fail "the title shows the same keys after other keys were bound"
}
for game in $(every_nth 3 2 "$root"/scripts/games/*/); do
  it "the title screen of $(basename "$game") shows the keys that the player has bound" \
    title_follows_bindings "$(basename "$game")"
done

# Localization: strings are stored by key in strings/ and looked up when they are shown; the language is a setting.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rm -rf data

# game [COMMAND]: creates a game with English and Polish strings. At tick 20 it runs the shell command in its folder and
# then reloads.
game() {
  rm -rf game
  mkdir -p game/strings game/systems
  cat >game/game.lua <<'EOF'
return { title = "words", id = "words", history = 16, native = true, start = function()
  world.spawn(nil, { name = "title", transform = {}, text = { value = "@menu.start" } })
  world.spawn(nil, { name = "lives", transform = {}, text = { value = tr.key("menu.lives", { n = 3 }) } })
  world.spawn(nil, { name = "go", button = { text = "@menu.start" } })
end }
EOF
  cat >game/strings/en.lua <<'EOF'
return {
  menu = {
    start = "Start",
    lives = { one = "{n} life", other = "{n} lives" },
  },
  ["flat.key"] = "flat",
  story = { "Once", "upon {who}" },
}
EOF
  cat >game/strings/pl.lua <<'EOF'
return {
  menu = {
    start = "Zacznij od nowa",
    lives = { one = "{n} życie", few = "{n} życia", many = "{n} żyć", other = "{n} życia" },
  },
  flat = { key = "płaskie" },
  story = { "Pewnego", "razu {who}" },
}
EOF
  cat >game/systems/says.lua <<EOF
local ffi = require "ffi"
ffi.cdef "int system(const char *);"
return {
  update = function()
    if world.tick == 20 then
      ffi.C.system [==[cd $tmp/game && ${1-true}]==]
      reload()
    elseif world.tick == 10 or world.tick == 30 then
      print("at", world.tick, tr.language(), tr "menu.start", tr("menu.lives", { n = 5 }), tr "flat.key",
        tr("story.2", { who = tr "story.1" }))
    end
  end,
}
EOF
}
create_switching_system() { # create_switching_system TICK: adds a system that switches to Polish at this tick
  echo "return { update = function() if world.tick == $1 then settings.language = 'pl' end end }" \
    >game/systems/switches.lua
}
run_game() {
  run_for 60 "$release" run game --headless --trust --ticks 40 "$@"
}

language_switch() {
  game
  create_switching_system 15
  run_game
  exits 0 out "at	10	en	Start	5 lives	flat	upon Once"
  says out "at	30	pl	Zacznij od nowa	5 żyć	płaskie	razu Pewnego"
}
it "an assignment to settings.language switches the language of a running game" language_switch

# The world stores keys, so runs in two languages differ only in the setting and in layout, here in a button's width.
keys_in_world() {
  game
  for language in en pl; do
    echo "return { update = function() if world.tick == 38 then local w = world.find('go').widget
      for _, row in ipairs(world.sql 'SELECT value FROM text UNION ALL SELECT text FROM button') do print('kept', row.value) end
      print('wide', w.at_width) elseif world.tick == 2 then settings.language = '$language' end end }" \
      >game/systems/tells.lua
    run_game
    exits 0
    grep '^kept' out >"kept.$language"
    grep '^wide' out >"wide.$language"
  done
  same kept.en kept.pl
  grep -q '@menu.lives {"n":3}' kept.en || fail "$(cat kept.en)"
  if cmp -s wide.en wide.pl; then fail "a button is as wide in both languages: $(cat wide.en)"; fi
}
same() {
  cmp "$1" "$2" || fail "$1 and $2 differ"
}
it "the world stores keys of strings, and widgets are laid out in the current language" keys_in_world

replayed() {
  game
  create_switching_system 15
  rm -rf data
  run_game --record a.replay --hash every=1
  exits 0
  grep '^tick' out >lived
  [ -s lived ] || fail "no hashes: $(cat out)"
  rm -rf data
  run_game --replay a.replay --hash every=1
  exits 0
  grep '^tick' out >again
  same lived again
  echo '{"format":1,"settings":{"language":"pl"}}' >"$XDG_DATA_HOME/shoal/saves/words/game.settings.json"
  run_game --replay a.replay --hash every=1
  grep '^tick' out >again
  same lived again
  run_game --check-rollback 8
  exits 0
}
it "a replay uses the recorded language, not the player's current setting" replayed

rewound() {
  game
  create_switching_system 15
  rm -rf data
  allow_kept_locals game
  cat >game/systems/back.lua <<'EOF'
local been
return { update = function()
  if world.tick == 18 and not been then
    been = true
    world.restore(11)
  elseif been then
    print("then", world.tick, tr "menu.start")
    if world.tick == 16 then world.quit() end
  end
end }
EOF
  run_game --history 64
  exits 0 out "then	12	Start" "then	16	Zacznij od nowa"
}
it "a rewind restores the language of the earlier tick" rewound

save_in_other_language() {
  game
  create_switching_system 15
  rm -rf data
  run_game --save "$tmp/a.sqlite"
  exits 0
  rm game/systems/switches.lua
  rm -rf data
  run_for 60 "$release" run game --headless --trust --ticks 4 --load "$tmp/a.sqlite" \
    --exec 'print("now", tr.language(), world.sql("SELECT value FROM text")[1].value)'
  exits 0 out "now	en	@menu.start"
}
it "a save made in a different language is shown in the player's language" save_in_other_language

text_edit() {
  game "sed -i 's/Start/Begin/' strings/en.lua"
  run_game
  exits 0 out "at	30	en	Begin"
}
it "a strings file that is saved changes the strings of the running game" text_edit

# is_rejected COMMAND MESSAGE…: after the shell command has changed a file, a reload must report the messages and keep
# the previous strings.
is_rejected() {
  game "$1"
  shift
  run_game
  for words; do says err "$words"; done
  says out "at	30	en	Start"
}
it "a strings file with a syntax error is rejected, and the previous strings stay in use" \
  is_rejected "echo 'return { a = ' >strings/en.lua" "strings/en.lua:"
it "a number in place of a string in a strings file is reported with its line" \
  is_rejected "sed -i 's/\"Start\"/3/' strings/en.lua" 'strings/en.lua:3: menu.start must be a string, got 3: use "3"'
it "a strings file that does not return a table is rejected" \
  is_rejected "echo 'return 3' >strings/pl.lua" "strings/pl.lua:1: the file must return a table of strings"
it "plural forms without the form 'other' are rejected" \
  is_rejected "sed -i 's/, other = \"{n} lives\"//' strings/en.lua" "strings/en.lua:4: menu.lives: the plural form \`other\` is missing: add other = \"…\", or rename the key one if the strings are not plural forms (en has the forms one, other)"
it "a duplicate key in a strings file is rejected" \
  is_rejected "sed -i 's/\"flat.key\"/\"menu.start\"/' strings/en.lua" "two strings are named menu.start"
it "a key with a space in a strings file is rejected" \
  is_rejected "sed -i 's/\"flat.key\"/\"flat key\"/' strings/en.lua" "strings/en.lua:6: invalid key flat key"
it "a strings file with more than 65,536 strings is rejected" \
  is_rejected "(echo 'local t = {} for i = 1, 70000 do t[\"k\" .. i] = \"x\" end return t') >strings/pl.lua" \
  "strings/pl.lua:1: too many strings (at most 65536 per language)"
it "a language in settings.lua that has no strings file is rejected with a suggestion" \
  is_rejected "echo 'return { language = shoal.types.enum { \"en\", \"pll\" } }' >settings.lua" \
  "settings.lua:1: the language pll has no strings: strings/pll.lua not found: did you mean pl?"
it "a strings file that is not named after a language is rejected" \
  is_rejected "cp strings/en.lua strings/1.lua" "strings/1.lua:1: a file in strings/ must be named after its language"

# reports_warning COMMAND MESSAGE…: the game must report the messages if the shell command changes a file before the start
reports_warning() {
  game
  (cd game && sh -c "$1") || fail "$1"
  shift
  run_game
  exits 0
  for words; do says err "$words"; done
}
it "a string missing in one language is reported with a suggestion and the file whose string is shown" \
  reports_warning "sed -i 's/ start =/ strat =/' strings/pl.lua" "strings/pl.lua:3: strings/en.lua has no text menu.strat: did you mean menu.start?" \
  "missing strings (1 of 5), replaced with the strings of strings/en.lua: menu.start (misspelled as menu.strat?)"
repeats_warning() { # repeats_warning COUNT [COMMAND]: expects the warning COUNT times in a run with a reload after COMMAND
  game "${2-true}"
  sed -i 's/ start =/ strat =/' game/strings/pl.lua
  run_game
  exits 0 err "reloaded"
  [ "$(grep -c "missing strings" "$tmp/err")" = "$1" ] || fail "expected $1 warnings: $(cat "$tmp/err")"
}
it "a missing string is not reported again by a reload" repeats_warning 1
it "a reload after which different strings are missing reports the missing strings" \
  repeats_warning 2 "sed -i 's/ lives =/ livse =/' strings/pl.lua"
it "a plural form that the language does not use is reported with the language's forms" \
  reports_warning "sed -i 's/, other = \"{n} lives\"/, two = \"a pair\", other = \"{n} lives\"/' strings/en.lua" \
  "strings/en.lua:4: menu.lives: the plural form two is not used in language en, which has the forms one, other: delete it"
it "placeholders that differ between languages are reported with their line" \
  reports_warning "sed -i 's/razu {who}/razu {kto}/' strings/pl.lua" "strings/pl.lua:7: story.2 has the placeholders {kto}, but strings/en.lua has {who}: use the same in both"
it "a missing plural form is reported with its line" \
  reports_warning "sed -i 's/few = \"{n} życia\", //' strings/pl.lua" "strings/pl.lua:4: menu.lives: the plural form few, used for 2, is missing"
it "an unknown key passed to tr is reported with a suggestion" \
  reports_warning "sed -i 's/tr \"flat.key\"/tr \"flat.kee\"/' systems/says.lua" "strings/en.lua has no text flat.kee: did you mean flat.key?"
it "an unknown key in a component is reported with a suggestion" \
  reports_warning "sed -i 's/button = { text = \"@menu.start\"/button = { text = \"@menu.stat\"/' game.lua" \
  "no text for @menu.stat: showing the key itself: did you mean menu.start?"

invalid_arguments() {
  game
  run_game --exec 'for _, f in ipairs { function() return tr(3) end, function() return tr("menu.start", 3) end,
    function() return tr("menu.start", { {} }) end, function() tr.key = 3 end, function() return tr.languagez end,
    function() settings.language = "de" end } do print(select(2, pcall(f))) end'
  exits 0 out 'tr: the key of a text must be a string, got 3: use tr "menu.start"'
  says out 'tr: the values for the names in braces must be a table, got'
  says out 'must have a name and be a string or number, got'
  says out 'tr.key cannot be assigned: declare strings in strings/'
  says out 'tr has no languagez: did you mean language' 'de'
  rm -r game/strings
  sed -i 's/tr.key("menu.lives", { n = 3 })/"3"/' game/game.lua
  run_game --exec 'print(select(2, pcall(tr, "menu.start")))'
  says out "tr: the game has no strings: create strings/en.lua"
}
it "invalid arguments of tr are errors" invalid_arguments

# With SDL's offscreen driver, Shoal treats the run as a player's run in a window.
system_language() {
  game
  rm -rf data
  LANG=pl_PL.UTF-8 SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy \
    run_for 60 "$release" run game --trust --no-watch --ticks 12 --record b.replay
  exits 0 out "at	10	pl	"
  run_game --replay b.replay
  says out "at	10	pl	"
  run_game
  says out "at	10	en	"
}
it "the first run in a window and its replay use the operating system's language" system_language

# Only drawn labels are translated: the simulation gets the same labels in all languages.
key_labels() {
  game
  mv game/strings/pl.lua game/strings/de.lua
  echo 'return { jump = { "key:up", "key:down", "pad:a" } }' >game/input.lua
  create_switching_system 1
  sed -i "s/'pl'/'de'/" game/systems/switches.lua
  cat >game/systems/tells.lua <<'LUA'
return { phase = "input", update = function()
  if world.tick == 3 then
    print("simulated", input.prompt "jump")
    world.options()
  elseif world.tick == 6 then
    for e in world.each("shoal.option") do
      if e["shoal.option"].does == "tab" and e["shoal.option"].name == "keys" then world.focus(e) end
    end
  elseif world.tick == 12 then
    for e in world.each("shoal.option", "button") do
      if e["shoal.option"].does == "key" and not e["shoal.option"].pad then print("option", e.button.text) end
    end
  end
end }
LUA
  cat >game/systems/draws.lua <<'LUA'
return { phase = "render", update = function()
  if world.tick >= 3 then print("drawn", input.prompt "jump", input.label "mouse:left") end
end }
LUA
  SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy run_for 60 "$release" run game --trust --no-watch --ticks 14
  exits 0 out "simulated	Up" "drawn	Hoch	Linksklick"
  says out 'option	@shoal.listed {"first":"@shoal.key_up","rest":"@shoal.key_down"}'
}
it "drawn key labels are translated, and the simulation gets the same labels in all languages" key_labels

# The panel of the example must end at least 16 pixels above the strip of the caption, which begins at y = 508.
example_fits() {
  for tick in 60 180 300 420; do # one language after the other
    run_for 60 "$release" sql "$root/scripts/examples/languages" --ticks "$tick" \
      "SELECT 'top ' || min(at_y), 'bottom ' || max(at_y + at_height) FROM panel JOIN widget USING (entity)"
    exits 0
    tail -n 1 out | awk '{ exit !($2 >= 16 && $4 <= 492) }' || fail "tick $tick: $(cat out)"
  done
}
it "the panel of the example “languages” is above the caption in every language" example_fits

# Languages: texts by key in strings/, looked up when they are shown; the language is a setting.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rm -rf data

# game [COMMAND]: texts in English and Polish; at tick 20 the shell command runs in its folder, and a reload
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
switches() { # switches TICK: to Polish
  echo "return { update = function() if world.tick == $1 then settings.language = 'pl' end end }" \
    >game/systems/switches.lua
}
plays() {
  run_for 60 "$release" run game --headless --trust --ticks 40 "$@"
}

switched() {
  game
  switches 15
  plays
  exits 0
  says out "at	10	en	Start	5 lives	flat	upon Once"
  says out "at	30	pl	Zacznij od nowa	5 żyć	płaskie	razu Pewnego"
}
it "the language is switched while the game runs" switched

# What is stored is the key, so that only the setting differs, and what the layout of a wider button gives.
stored() {
  game
  for language in en pl; do
    echo "return { update = function() if world.tick == 38 then local w = world.find('go').widget
      for _, row in ipairs(world.sql 'SELECT value FROM text UNION ALL SELECT text FROM button') do print('kept', row.value) end
      print('wide', w.at_width) elseif world.tick == 2 then settings.language = '$language' end end }" \
      >game/systems/tells.lua
    plays
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
it "a world holds keys in every language, and its widgets are laid out in the one that is shown" stored

replayed() {
  game
  switches 15
  rm -rf data
  plays --record a.replay --hash every=1
  exits 0
  grep '^tick' out >lived
  [ -s lived ] || fail "no hashes: $(cat out)"
  rm -rf data
  plays --replay a.replay --hash every=1
  exits 0
  grep '^tick' out >again
  same lived again
  echo '{"format":1,"settings":{"language":"pl"}}' >"$XDG_DATA_HOME/shoal/saves/words/game.settings.json"
  plays --replay a.replay --hash every=1
  grep '^tick' out >again
  same lived again
  plays --check-rollback 8
  exits 0
}
it "a replay is in the languages of the run that was recorded, whatever the player has chosen since" replayed

rewound() {
  game
  switches 15
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
  plays --history 64
  exits 0
  says out "then	12	Start"
  says out "then	16	Zacznij od nowa"
}
it "going back in time goes back to the language of then" rewound

saved() {
  game
  switches 15
  rm -rf data
  plays --save "$tmp/a.sqlite"
  exits 0
  rm game/systems/switches.lua
  rm -rf data
  run_for 60 "$release" run game --headless --trust --ticks 4 --load "$tmp/a.sqlite" \
    --exec 'print("now", tr.language(), world.sql("SELECT value FROM text")[1].value)'
  exits 0
  says out "now	en	@menu.start"
}
it "a save of a player in another language is shown in one's own" saved

reloaded() {
  game "sed -i 's/Start/Begin/' strings/en.lua"
  plays
  exits 0
  says out "at	30	en	Begin"
}
it "a text that is saved is there at once" reloaded

# refused COMMAND WORDS…: after which the old texts stay
refused() {
  game "$1"
  shift
  plays
  for words; do says err "$words"; done
  says out "at	30	en	Start"
}
it "a file with a mistake is refused and the old texts stay" \
  refused "echo 'return { a = ' >strings/en.lua" "strings/en.lua:"
it "a text that is none is refused with its line" \
  refused "sed -i 's/\"Start\"/3/' strings/en.lua" 'strings/en.lua:3: menu.start is a number, not a text: "3"'
it "a file that returns no table is refused" \
  refused "echo 'return 3' >strings/pl.lua" "strings/pl.lua:1: the file must return a table of texts"
it "plural forms without other are refused" \
  refused "sed -i 's/, other = \"{n} lives\"//' strings/en.lua" "strings/en.lua:4: menu.lives has plural forms and not"
it "a text that is there twice is refused" \
  refused "sed -i 's/\"flat.key\"/\"menu.start\"/' strings/en.lua" "there are two texts called menu.start"
it "a key that cannot be written is refused" \
  refused "sed -i 's/\"flat.key\"/\"flat key\"/' strings/en.lua" "strings/en.lua:6: the key flat key"
it "a huge file is refused" \
  refused "(echo 'local t = {} for i = 1, 70000 do t[\"k\" .. i] = \"x\" end return t') >strings/pl.lua" \
  "strings/pl.lua:1: more than 65536 texts"
it "a language of settings.lua without texts is refused, with the nearest" \
  refused "echo 'return { language = shoal.types.enum { \"en\", \"pll\" } }' >settings.lua" \
  "settings.lua:1: the language pll has no texts: there is no strings/pll.lua: did you mean pl?"
it "a file that is called like no language is refused" \
  refused "cp strings/en.lua strings/1.lua" "strings/1.lua:1: a file of texts is called like its language"

warned() { # warned COMMAND WORDS…: before the game begins
  game
  (cd game && sh -c "$1") || fail "$1"
  shift
  plays
  exits 0
  for words; do says err "$words"; done
}
it "a text that one language lacks is the other's, and said once with the nearest key" \
  warned "sed -i 's/ start =/ strat =/' strings/pl.lua" "strings/pl.lua:3: strings/en.lua has no text menu.strat: did you mean menu.start?" \
  "no text for 1 of 5 keys, and those of strings/en.lua stand in: menu.start (is menu.strat meant?)"
it "values that only one language names are said with their line" \
  warned "sed -i 's/razu {who}/razu {kto}/' strings/pl.lua" "strings/pl.lua:7: story.2: the values in it are {kto}, and in strings/en.lua {who}"
it "a plural form that is missing is said with its line" \
  warned "sed -i 's/few = \"{n} życia\", //' strings/pl.lua" "strings/pl.lua:4: menu.lives lacks the plural form few, for 2"
it "a key that no file has is said with who asks, once" \
  warned "sed -i 's/tr \"flat.key\"/tr \"flat.kee\"/' systems/says.lua" "there is no text flat.kee in strings/en.lua: did you mean flat.key?"
it "a key in a column that no file has is said with the nearest" \
  warned "sed -i 's/button = { text = \"@menu.start\"/button = { text = \"@menu.stat\"/' game.lua" \
  "no text for @menu.stat: showing the key itself: did you mean menu.start?"

wrong() {
  game
  plays --exec 'for _, f in ipairs { function() return tr(3) end, function() return tr("menu.start", 3) end,
    function() return tr("menu.start", { {} }) end, function() tr.key = 3 end, function() return tr.languagez end,
    function() settings.language = "de" end } do print(select(2, pcall(f))) end'
  exits 0
  says out 'tr takes a key of strings/, tr "menu.start", not 3'
  says out 'tr takes the values for what stands in braces as a table'
  says out 'values have names, and are texts or numbers'
  says out 'tr.key cannot be set: texts stand in strings/'
  says out 'tr has no languagez: did you mean language'
  says out 'de'
  rm -r game/strings
  sed -i 's/tr.key("menu.lives", { n = 3 })/"3"/' game/game.lua
  plays --exec 'print(select(2, pcall(tr, "menu.start")))'
  says out "tr: the game has no texts: strings/en.lua returns them"
}
it "what tr cannot take is an error that says so" wrong

# The window's driver that draws nowhere: a player's own run.
preferred() {
  game
  rm -rf data
  LANG=pl_PL.UTF-8 SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy \
    run_for 60 "$release" run game --trust --no-watch --ticks 12 --record b.replay
  exits 0
  says out "at	10	pl	"
  plays --replay b.replay
  says out "at	10	pl	"
  plays
  says out "at	10	en	"
}
it "a first run in a window has the language of the system, and its replay as well" preferred

-- A level in rows of characters: # and = are ground, o a coin, s a spring, h the hero.
local rows = require "lib.rows"
return {
  entities = rows {
    "                                        ",
    "                                        ",
    "                        o o             ",
    "              o        #####            ",
    "            ####                  o o   ",
    "     o              #            #####  ",
    "   ####         o  ##     o             ",
    "               ###        #       s     ",
    " h      s     ####   o  ####     ###    ",
    "###################   ##################",
    "===================   ==================",
  },
}

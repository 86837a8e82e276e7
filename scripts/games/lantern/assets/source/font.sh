#!/bin/sh
# Generates assets/japanese.otf: a subset of M+ 1 Medium with the characters of strings/ja.lua, of the add-on menu
# and of Shoal's built-in Japanese texts. Needs Debian's fonttools and fonts-mplus. Run it when a text has new characters.
set -e
cd "$(dirname "$0")/../.."
cat strings/ja.lua ../../addons/menu/strings/ja.lua ../../shoal/kit/ui_strings.lua >/tmp/lantern-characters.$$
pyftsubset /usr/share/fonts/opentype/mplus/Mplus1-Medium.otf --text-file=/tmp/lantern-characters.$$ \
  --output-file=assets/japanese.otf --layout-features='kern,palt' --no-hinting --desubroutinize
rm /tmp/lantern-characters.$$

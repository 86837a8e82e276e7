// The add-ons that game.lua lists: finds and adds entries, and checks the requirements between add-ons.
#ifndef SHOAL_ADDONS_GAME_ADDONS_H
#define SHOAL_ADDONS_GAME_ADDONS_H

#include "addons/addon_info.h"
#include "luajit/lua_edit.h"

// An entry of `addons`: "glow", "../my/glow" or { "glow", as = "light" }.
typedef struct game_addon_t {
  char path[256]; // path as written in game.lua
  char name[64];  // name of the add-on in the game
  uint32_t line;
  addon_info_t info; // `info.name` is "" if addon.lua cannot be read
} game_addon_t;

typedef struct game_addons_t {
  allocator_t *memory;
  const char *game, *shipped; // absolute folders of the game and of Shoal's add-ons; borrowed
  lua_edit_t edit;
  literal_span_t config, list; // table that game.lua returns, and its table `addons` (`list.file` is NULL if missing)
  ARRAY(game_addon_t) entries;
  error_info_t read_error; // reason why game.lua could not be read; "" if it was read
} game_addons_t;

// Reads game.lua. Returns true on success, or false with a message if game.lua cannot be read, or computes the table or
// the list by code. Call game_addons_fini in both cases.
bool game_addons_read(game_addons_t *g, allocator_t *memory, const char *game, const char *shipped,
                      error_info_t *error);
void game_addons_fini(game_addons_t *g);

// Returns the entry of the game's folder addons/NAME or of Shoal's add-on NAME, or NULL if not found.
const game_addon_t *game_addons_find(const game_addons_t *g, const char *name);
// Appends the add-on to the list. Returns true on success, or false with a message if an entry already has the add-on's
// name.
bool game_addons_add(game_addons_t *g, const char *name, error_info_t *error);
// Appends the new text of the file that game_addons_add edited to `out`, and returns the file's path relative to the
// game. Returns NULL with a message if the new text is not valid Lua.
const char *game_addons_write(game_addons_t *g, json_writer_t *out, error_info_t *error);

// Appends a line for each requirement that is not met if the game uses the add-on `info`: requirements of this add-on,
// and requirements of listed add-ons on its version. Returns the number of lines.
uint32_t game_addons_check_requirements(const game_addons_t *g, const addon_info_t *info, json_writer_t *out);

#endif

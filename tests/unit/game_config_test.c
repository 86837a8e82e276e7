// Game settings that C reads from Lua by name: script/game_config.h.
#include "script/game_config.h"

#include "game/served_rooms.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <lauxlib.h>

static const char FACTS[] =
    "return { title = 'Heat', id = 'heat', version = '1.2', width = 640, height = 360, tick_rate = 30, history = 8,"
    " history_is_set = true, autosave = 5, dead_zone = 0.25, fonts = 'a.ttf', sharp = true, window_width = 0,"
    " window_height = 0, scale = 1, expand_in_match = true, fullscreen = false, resizable = true, vsync = false,"
    " run_in_background = true, icon = '', min_players = 2, max_players = 8, reads_pointers = true, rewind = true,"
    " clips = true, needs_invite = true, rooms = {"
    " { name = 'mine', scene = 'cave', count = 2, players = 12, enter = false, sleeps = true },"
    " { name = 'town', scene = '', count = 0, players = 8, enter = true, sleeps = false } },"
    " chronicle = { { event = 'quest_done', seconds = 0 }, { event = 'trade', seconds = 7776000 } } }";

static bool read_facts(const char *change, vm_game_t *out, error_info_t *error) {
  char chunk[2048];
  lua_State *L = luaL_newstate();
  snprintf(chunk, sizeof chunk, "local config = (function() %s end)() %s return config", FACTS, change);
  assert_int_equal(luaL_loadstring(L, chunk), 0);
  lua_call(L, 0, 1);
  bool good = game_config_read(L, out, error);
  assert_int_equal(lua_gettop(L), 1);
  lua_close(L);
  return good;
}

TEST(game_settings_are_read_by_name) {
  vm_game_t game;
  error_info_t error = {0};
  assert_true(read_facts("", &game, &error));
  assert_string_equal(game.title, "Heat");
  assert_string_equal(game.version, "1.2");
  assert_int_equal(game.tick_rate, 30);
  assert_int_equal(game.history_mb, 8);
  assert_int_equal(game.min_players, 2);
  assert_int_equal(game.max_players, 8);
  assert_int_equal(game.window.scale, LETTERBOX_INTEGER);
  assert_false(game.window.same_view);
  assert_true(game.reads_pointers);
  assert_true(game.history_is_set && game.sharp && game.window.tearing && !game.window.fixed &&
              game.window.run_in_background);
}

TEST(kept_events_are_read_with_their_durations) {
  vm_game_t game;
  error_info_t error = {0};
  assert_true(read_facts("", &game, &error));
  assert_int_equal(game.kept_event_count, 2);
  assert_string_equal(game.kept_events[0].name, "quest_done");
  assert_int_equal(game.kept_events[0].keep_s, 0);
  assert_string_equal(game.kept_events[1].name, "trade");
  assert_int_equal(game.kept_events[1].keep_s, 90 * 86400);
  assert_false(read_facts("config.chronicle[2].seconds = 'long'", &game, &error));
}

TEST(rooms_are_expanded_in_the_order_of_their_names_and_numbers) {
  static const char *const NAMES[] = {"mine-1", "mine-2", "town"};
  vm_game_t game;
  error_info_t error = {0};
  served_room_t rooms[SERVED_MAX_ROOMS], town;
  assert_true(read_facts("", &game, &error));
  assert_int_equal(served_rooms_list(&game, rooms), 3);
  for (uint32_t i = 0; i < 3; ++i) {
    assert_string_equal(rooms[i].name, NAMES[i]);
    assert_int_equal(rooms[i].index, i);
  }
  assert_int_equal(rooms[1].players, 12);
  assert_string_equal(rooms[1].kind->scene, "cave");
  assert_false(rooms[1].kind->enter);
  assert_true(served_rooms_find(&game, "town", &town));
  assert_int_equal(town.index, 2);
  assert_int_equal(town.players, 8);
  assert_false(town.kind->sleeps);
  assert_false(served_rooms_find(&game, "mine", &town));
  assert_false(served_rooms_find(&game, "mine-3", &town));
}

TEST(missing_and_mistyped_settings_are_reported_by_name) {
  vm_game_t game;
  error_info_t error = {0};
  assert_false(read_facts("config.tick_rate = nil", &game, &error));
  assert_string_equal(error.text, "game.lua: tick_rate must be a number, got nil");
  assert_false(read_facts("config.vsync = 1", &game, &error));
  assert_string_equal(error.text, "game.lua: vsync must be a boolean, got a number");
  assert_false(read_facts("config.rooms[2].count = '2'", &game, &error));
  assert_string_equal(error.text, "game.lua: count must be a number, got a string");
}

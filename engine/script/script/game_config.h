// Settings of a game from game.lua (title, screen, tick rate, …) and their defaults.
#ifndef SHOAL_SCRIPT_GAME_CONFIG_H
#define SHOAL_SCRIPT_GAME_CONFIG_H

#include "platform/audio.h"
#include "platform/platform.h"

typedef struct lua_State lua_State;
struct vm_o;

// Rooms of a served world (the table serve of game.lua; checked by scripts/shoal/load/served_rooms.lua).
#define SERVED_MAX_KINDS 64u  // maximum number of names in serve.rooms
#define SERVED_MAX_ROOMS 256u // maximum number of rooms in total
#define SERVED_KIND_BYTES 32u // maximum size of a name in serve.rooms, including '\0'

// An entry of serve.rooms: one room, or several rooms with the same settings.
typedef struct served_kind_t {
  char name[SERVED_KIND_BYTES];
  char scene[128];  // scene of the room; "": the game's first scene
  uint32_t count;   // number of rooms, named NAME-1, NAME-2, …; 0: one room, named NAME
  uint32_t players; // maximum number of players
  bool enter;       // true if players may join the room directly
  bool sleeps;      // true if the room ends while it has no players
} served_kind_t;

// Events that a served world keeps (the table chronicle of game.lua; checked by
// scripts/shoal/load/chronicle_settings.lua).
#define CHRONICLE_MAX_EVENTS 64u
#define CHRONICLE_EVENT_BYTES 64u // maximum size of an event's name, including '\0'

typedef struct chronicle_event_t {
  char name[CHRONICLE_EVENT_BYTES];
  int64_t keep_s; // time for which the event is kept in seconds; 0: forever
} chronicle_event_t;

typedef struct vm_game_t {
  char title[128];
  char id[64];         // id under which saves are stored; "": the name of the game's folder
  char version[64];    // version of the game, for packages; "": unspecified
  int width, height;   // size of the screen in logical pixels
  uint32_t tick_rate;  // ticks per second
  uint32_t history_mb; // memory for the history, in MiB
  bool history_is_set; // true if game.lua sets `history`
  uint32_t autosave_s; // seconds of game time between autosaves; 0: never
  float dead_zone;     // dead zone of gamepad sticks, in [0, 0.9]
  char fonts[256];     // fallback fonts for characters that the font of the text lacks, such as "a.ttf,b.ttf"
  bool sharp;          // true if images are scaled without smoothing
  audio_buses_t buses;
  platform_window_t window;
  // Minimum and maximum number of players; 0: the game declares no players. In a served world, `max_players` is the
  // largest maximum of all rooms.
  uint32_t min_players, max_players;
  bool reads_pointers;                                 // true if the code may read the players' pointers
  bool rewind;                                         // true if players of a package may rewind the game
  bool clips;                                          // true if players of a package may save clips
  served_kind_t kinds[SERVED_MAX_KINDS];               // rooms of a served world, sorted by name
  uint32_t kind_count;                                 // number of `kinds`; 0: the game declares no served world
  chronicle_event_t kept_events[CHRONICLE_MAX_EVENTS]; // events that a served world keeps, sorted by name
  uint32_t kept_event_count;
  bool needs_invite; // true if new players of the served world need an invitation
  char icon[128];    // image file of the window icon; "": the system's default icon
} vm_game_t;

// Defaults of all optional settings in game.lua.
extern const vm_game_t GAME_DEFAULTS;

// Declares an audio bus of game.lua (platform/audio.h). `under`: names of the buses that duck it, separated by
// spaces. Called by the engine's Lua.
void vm_add_bus(struct vm_o *vm, const char *name, float volume, float duck, float attack_s, float release_s,
                const char *under, float lowpass_hz, float reverb);

// Pushes a table of the defaults that Lua fills in (native.game_defaults).
void game_config_push_defaults(lua_State *L);
// Reads the table on top of the stack. Returns true on success, or false with an error that names the first missing or
// mistyped field.
bool game_config_read(lua_State *L, vm_game_t *config, error_info_t *error);

#endif

// Description of a VM: the host's objects that it uses, its limits, and the requests of its scripts to the host.
#ifndef SHOAL_SCRIPT_VM_DESC_H
#define SHOAL_SCRIPT_VM_DESC_H

#include "base/limits.h"
#include "base/log.h"
#include "base/parked.h"
#include "ecs/world.h"
#include "platform/audio.h"
#include "platform/input.h"
#include "render/draw.h"
#include "render/render.h"
#include "script/sources.h"

typedef struct lua_State lua_State;
typedef struct vm_o vm_o;

#define SCRIPT_MAX_SAVES 16u // maximum number of requests to write or delete a save in one tick

// A request to write or delete a save.
typedef struct script_save_request_t {
  bool drop;  // true to delete the save, false to write it
  bool quiet; // true to show no toast on success
  char name[64];
} script_save_request_t;

// Pointer of the mouse, as requested by window.pointer. If all members are 0, the normal pointer is shown.
typedef struct script_pointer_t {
  bool hidden, confined, relative;
  char image[256]; // image asset of the pointer; "": the system's pointer
} script_pointer_t;

// A request to move a player to a different room of the served world.
typedef struct script_move_t {
  uint32_t player; // number of the player, from 1
  char room[40];   // name of the room, with or without its number
} script_move_t;

// Requests from scripts to the host, which reads them after every tick.
typedef struct script_requests_t {
  int quit, pause, fullscreen; // requests; 0: no request; 1: turn on; -1: turn off or cancel
  bool reload;
  bool restart;
  bool restore;        // true to restore the state at `restore_tick` from the history
  bool restore_replay; // true to replay the input of the rewound ticks afterwards
  double restore_tick;
  // Requests from the menu
  char game[512];           // folder of the game to switch to; "": no request
  bool host_match;          // true to begin the game as the host of a match
  char join_match[256];     // address of the host whose match the game joins; "": no request
  char match_password[129]; // password of the match to host or join; "": no password
  char match_key[32];       // code that the joined host's key must have; "": any key
  bool join_world;          // true if `join_match` is the address of a served world
  char match_room[40];      // name of the room to join; "": any room
  char match_code[129];     // code of an invitation or a reset; "": no code

  uint32_t save_count;
  script_save_request_t saves[SCRIPT_MAX_SAVES]; // requested saves in call order
  char load[64];                                 // save to load after `saves`; "": no request
  bool load_quiet;                               // true to show no toast on success
  int scale;                                     // letterbox_mode_t plus 1; 0: no request
  int vsync;                                     // 1: wait for vertical sync, -1: do not wait, 0: no request
  bool rumbles[INPUT_PADS];                      // true for pads with a rumble request
  float rumble[INPUT_PADS][2];                   // strength in [0, 1], and duration in seconds
  int players;                                   // number of players on this machine; 0: no request
  bool begin_match;                              // true to begin the game (set by the lobby)
  int leave_match;                               // number of the player who leaves (set by the lobby); 0: no request
  player_mask_t options_of;                      // players whose machines show the options, in a match
  player_mask_t quit_of;                         // players whose machines ask whether they leave the match
  player_mask_t players_of;                      // players whose machines show the list of players, in the lobby
  uint32_t move_count;
  script_move_t moves[PLAYER_MAX]; // moves in the order of their calls
  bool has_pointer;                // true if `pointer` was requested, also by a render system
  script_pointer_t pointer;
} script_requests_t;

// Time limits of scripts, in CPU time of the thread.
typedef enum script_budget_t {
  SCRIPT_BUDGET_SYSTEM, // calls to a piece of a system or to a cockpit panel; also all watched queries of a tick
  SCRIPT_BUDGET_START,  // calls to `start` (game, system, scene) or to a behaviour's `create`
  SCRIPT_BUDGET_LOAD,   // loading code or a save, world.define, and calls to `stop`, `migrate` and vm_exec
  SCRIPT_BUDGETS
} script_budget_t;

typedef struct script_budgets_t {
  uint32_t ms[SCRIPT_BUDGETS]; // limit in milliseconds; 0: no limit
  bool fixed; // true if set on the command line: overrides game.lua, and is not extended on slow machines
} script_budgets_t;

// Contents of a match's lobby. All machines have the same title and numbers of players.
typedef struct script_lobby_t {
  char title[128]; // title of the game
  uint32_t min_players, max_players;
  bool has_menu;       // true if the menu's list of matches contains this match; packages have no menu
  char addresses[160]; // addresses of the host; "" on other machines
  char key[32];        // code of the host's key; "" unless this machine is the host
  char fonts[256];     // fallback fonts of the game, in its folder of assets
  char language[32];   // current language of the game; "" if it has no strings
} script_lobby_t;

// A page that the host opens in the match menu. The menu itself opens the options and the question, too.
typedef enum match_menu_page_t {
  MATCH_MENU_CLOSED,
  MATCH_MENU_MAIN,
  MATCH_MENU_OPTIONS,
  MATCH_MENU_QUESTION, // question whether the player leaves the match
  MATCH_MENU_CHAT,     // entry for a chat line to all players
  MATCH_MENU_PLAYERS   // the players, and the actions on them
} match_menu_page_t;

#define MATCH_BOX_BUTTONS 3u

// A box with text and buttons that the match menu shows over the game, set by the host. Unused strings are "".
typedef struct script_match_box_t {
  char title[192]; // title of the box; "": the box is hidden
  char lines[4][512];
  char hint[96];
  char buttons[MATCH_BOX_BUTTONS][64];
  // Keys and pad buttons with the same effects as `buttons`, in the same order, such as "F7" and "Back + Y"
  char keys[MATCH_BOX_BUTTONS][8], pads[MATCH_BOX_BUTTONS][16];
  bool is_failure; // true if the box shows an error
} script_match_box_t;

typedef enum match_box_t {
  MATCH_BOX_QUESTION, // question whether a machine may join
  MATCH_BOX_PANEL,    // reason why the match waits or has ended
  MATCH_BOX_COUNT
} match_box_t;

#define MATCH_CHAT_LINES_SHOWN 6u

typedef struct script_match_chat_line_t {
  char text[240];  // text of the line, "NAME: TEXT"; "" if the line is unused
  uint32_t colour; // colour of the speaker, 0xRRGGBB
} script_match_chat_line_t;

// The menu that a player opens during a match, on one machine (scripts/shoal/kit/match_menu.lua).
typedef struct script_match_menu_t {
  uint32_t page; // a match_menu_page_t, set by the host; the menu sets MATCH_MENU_CLOSED when its player closes it
  bool is_host;  // true if this machine is the host of the match: the match ends when it leaves
  bool is_world; // true if this machine is in a room of a served world, which has no host
  bool leaves;   // true if the machine leaves the match; set by the menu
  char addresses[144]; // addresses at which machines join this host, separated by commas
  // Chat
  bool has_chat_key;   // true if no action of the game uses the key that opens the chat; set by the menu
  char line[201];      // line to be sent; "": no line; set by the menu
  uint32_t chat_fault; // reason why the line was not sent (match_chat_result_t); 0: sent; set by the host
  bool has_main_page;  // true if closing the players' page opens the main page, unlike in the lobby; set by the host
  // Players, set by the host
  char names[PLAYER_MAX][PLAYER_NAME_BYTES];
  player_mask_t present, own, lost, muted; // all players, players of this machine, lost players, muted players
  uint32_t reserved_s[PLAYER_MAX];         // seconds for which the seat of a lost player is reserved; 0: unknown
  uint32_t bans;                           // number of users that this host has banned; 0 on other machines
  // Set by the menu: action on a player (match_moderation_t) and the player's number; 0: no action
  uint32_t moderation, moderated_player;
  script_match_box_t boxes[MATCH_BOX_COUNT];
  script_match_chat_line_t chat[MATCH_CHAT_LINES_SHOWN]; // most recent chat lines, the newest last
  uint32_t box_changes;                                  // number of changes of `boxes` and `chat`
  uint32_t pressed[MATCH_BOX_COUNT]; // number of the button that was pressed, from 1; 0: no button; set by the menu
} script_match_menu_t;

typedef struct sql_o sql_o; // defined in sql/sql.h

// A module's C functions for the engine's Lua (scripts/shoal). `open` adds them to the table on top of the stack, which
// boot.lua receives as `native`. Called for every new Lua state.
typedef struct vm_library_t {
  void (*open)(lua_State *L, void *context);
  void *context;
} vm_library_t;

#define VM_MAX_LIBRARIES 4

typedef struct vm_desc_t {
  vm_library_t libraries[VM_MAX_LIBRARIES]; // the first entry without `open` ends the list
  const char *game_folder;                  // folder that contains game.lua
  const char *engine_folder;                // folder of the engine's scripts, scripts/shoal
  sources_o *sources; // sources of the game, shared with the caller; NULL: the VM reads the two folders
  world_o *world;     // world into which vm_adopt declares, and which running scripts use; borrowed
  // input of this tick and of the previous tick; borrowed, and written by the host before every tick
  const input_state_t *input, *input_before;
  const player_status_t *player_status; // status of each player, PLAYER_MAX elements; borrowed. NULL: all members are 0
  draw_o *draw;                         // list to which scripts draw; borrowed
  audio_o *audio;                       // audio output that scripts use; borrowed
  render_o *render;                     // renderer, used only to measure text; borrowed. NULL: all text sizes are 0
  const assets_t *assets;               // assets of the game; borrowed
  script_requests_t *requests;          // receives the scripts' requests; borrowed
  sql_o *sql;                           // SQL of `world`; borrowed. NULL: world.sql raises an error
  bool trust;                           // true to allow `native = true`
  bool is_shared;                       // true if the game's code comes from remote machines: no FFI, even with `trust`
  bool is_served;                       // true if the game is a room of a served world, even on a player's machine
  bool check_tables;                    // true to track the tables that files create, for vm_find_changed_table
  bool metadata;                        // true to load t.metadata components
  bool no_jit;                          // true to interpret scripts instead of compiling them
  const char *native;                   // mode of native code (native_mode_check); NULL means "on"
  bool strict; // true if values that do not fit their field raise errors instead of being clamped and logged
  script_budgets_t budgets;
  parked_list_t *parked; // list to which this VM adds each piece that it parks; borrowed
  uint32_t memory_mb;    // memory limit in MiB; a VM that exceeds it is stopped (default: SCRIPT_MEMORY_MB)
  uint32_t block_mb;     // size in MiB; huge blocks larger than half of this size are refused (default: memory_mb)
  uint64_t seed;
  log_o *log;
  const script_lobby_t *lobby; // contents of the match lobby that the VM runs; copied. NULL: no match lobby
  // Match menu that the VM runs instead of the game's systems, with the settings, bindings, strings and theme of the
  // game; borrowed. NULL: the VM runs the game.
  script_match_menu_t *match_menu;
  const char *message; // message that the menu shows ("unknown game “astroids”: …"); may be ""
} vm_desc_t;

#endif

// State of a match that is played. Private to match_play.c, match_connect.c, match_lan.c, match_lobby.c, match_panel.c,
// match_question.c, match_report.c, match_status.c and match_world.c.
#ifndef SHOAL_HOST_MATCH_PLAY_INTERNAL_H
#define SHOAL_HOST_MATCH_PLAY_INTERNAL_H

#include "base/now.h"
#include "host/host_internal.h"
#include "host/match_input.h"
#include "host/match_lookup.h"
#include "host/match_menu.h"
#include "host/match_play.h"
#include "host/match_reload.h"
#include "host/match_report.h"
#include "host/match_text.h"
#include "host/match_twin.h"
#include "link/lan_search.h"
#include "link/link_bridge.h"
#include "link/link_udp.h"
#include "match/match_files.h"
#include "match/match_game.h"
#include "match/match_link.h"
#include "match/world_finder.h"
#include "poses/pose_corrections.h"

typedef enum match_phase_t {
  MATCH_PHASE_NONE,
  MATCH_PHASE_LOOKUP, // the joiner waits for the host's address
  MATCH_PHASE_ASKING, // the joiner asks a served world for its room
  MATCH_PHASE_JOINING,
  MATCH_PHASE_PLAYING, // the match runs, or the host waits for players
  MATCH_PHASE_LOST,    // the host is lost; this machine tries to join again
  MATCH_PHASE_FAILED,  // the match cannot be joined
  MATCH_PHASE_ENDED
} match_phase_t;

typedef enum match_answer_t {
  MATCH_ANSWER_NONE,
  MATCH_ANSWER_ACCEPT,
  MATCH_ANSWER_REFUSE,
  MATCH_ANSWER_REFUSE_ALWAYS // refuses this request, and later requests of the user without a question
} match_answer_t;

#define MATCH_PANEL_BUTTONS 2u

typedef enum match_panel_action_t { MATCH_PANEL_NONE, MATCH_PANEL_LEAVE, MATCH_PANEL_CONTINUE } match_panel_action_t;

// A served world that this machine has joined (match_world.c).
typedef struct match_world_play_t {
  link_address_t address;
  uint8_t key[SEAL_KEY_BYTES]; // public key of all processes of the world
  bool has_key;
  uint32_t unanswered;         // number of unanswered requests to the world before its first answer
  world_finder_o *finder;      // request to the world that waits for its answer; NULL: no request
  char room[WORLD_ROOM_BYTES]; // requested room or, once the world has answered, this machine's room
  uint64_t process;            // number of the room's process that this machine has joined or tries to join
  bool is_joining;             // true while this machine tries to join the room
  int64_t ask_us;              // time of the next request to the world; 0: no request is planned
  int64_t begin_us;            // time since which this machine tries to join the room
  // A move to a different room
  char origin[WORLD_ROOM_BYTES]; // room to which the player returns if the move fails; "": no move
  int64_t moved_us;              // time at which the move or the return began
  char found[WORLD_ROOM_BYTES];  // room that the world has named, which becomes `room` when this machine is connected
} match_world_play_t;

struct match_play_o {
  host_o *host;
  match_phase_t phase;
  int64_t tick_us;
  match_identity_t identity;
  file_hashes_o *files; // hashes of the game's files
  match_reload_o *reload;
  match_game_o *game;
  match_o *match;
  match_link_o *link;
  match_twin_o *twin; // host in this process, for --net-sim without --host and --join; otherwise NULL
  match_input_t input;
  match_limits_t limits;                 // limits of the game's scripts
  pose_corrections_t corrections;        // corrections of the drawn poses; unused without a window
  input_state_t devices, devices_before; // devices of this machine in this frame and in the previous frame
  player_mask_t muted;                   // players whose chat lines this machine does not show
  uint32_t awaited;                      // host: number of players for whom the host waits before it begins the match
  bool has_begun;
  bool opens_players; // a player of this machine has requested the page of the players in the lobby
  // Lobby (match_lobby.c)
  script_lobby_t lobby; // content of the lobby
  char folder[PATH_MAX_BYTES];
  sources_o *sources; // sources of the game, in `folder`
  char title[128];
  uint32_t max_players;
  char name[PLAYER_NAME_BYTES]; // name of this machine's first player
  match_menu_o *menu;           // this machine's match menu; NULL without a window
  sources_o *menu_sources;      // sources of the game for which the menu was created; NULL: no menu was created
  // A machine that asks whether it may join (match_question.c)
  bool has_request;
  match_request_t request;
  // The question and the panel in the middle of the screen (match_panel.c), which the menu shows
  script_match_box_t boxes[MATCH_BOX_COUNT];
  match_panel_action_t panel_actions[MATCH_PANEL_BUTTONS]; // actions of the panel's buttons
  char announced[MATCH_BOX_COUNT][192];                    // title of the latest notice about each box
  player_mask_t local_players;                             // players on this machine
  // Network
  bool has_network; // true with --net-sim
  link_sim_conditions_t network;
  link_udp_o *udp;
  link_bridge_o *bridge;
  link_t socket;                                            // link of `udp`, `bridge` or `twin`
  link_address_t own_addresses[LINK_UDP_MAX_OWN_ADDRESSES]; // addresses of this machine as the host
  uint32_t own_address_count;
  link_address_t host_address;
  match_lookup_o *lookup;
  lan_host_o *lan_host; // object that answers searches for this host; NULL if searches cannot find this host
  // Search for a host (--join lan), for the successor of a lost host, or for a second successor.
  lan_search_o *lan_search;
  uint64_t lan_game;  // hash of `identity`
  uint64_t lan_files; // hash of the engine's scripts and the game's sources
  int64_t lan_end_us;
  lan_found_t lan_other; // a host with a different game or version; port 0: no such host was found
  uint8_t secret[SEAL_KEY_BYTES];
  uint8_t host_key[SEAL_KEY_BYTES];            // joiner: public key of the latest host that has answered
  char password[MATCH_MAX_PASSWORD_BYTES + 1]; // "": no password
  match_guard_t guard;                         // host: machines that may not join
  match_token_t token;
  const char *key_problem;        // key of the reason why this machine rejected the host's key, or NULL
  char key_details[256];          // the same reason, written for developers
  char failure[MATCH_TEXT_BYTES]; // reason why the match cannot be played, as shown to players
  // State after the host was lost
  int64_t lost_us, retry_us;
  lan_found_t successor; // machine that continues as the host; valid while is_trying_successor
  bool is_trying_successor;
  bool is_successor;  // true if `successor` has proved by its key that it is a machine of the match
  bool has_host_left; // true if the lost host has closed the connection; false if it is silent
  bool was_saved, has_continued;
  bool has_given_way;       // true if this machine continued as the host, and now joins a different successor
  match_world_play_t world; // state of a served world; unused without --world
  // Last confirmed tick, which is at most the tick of --ticks, and its hash
  uint64_t tick, hash;
  int64_t confirm_end_us; // time until which this frame confirms ticks
  bool is_complete;       // true once the tick of --ticks is confirmed
  int64_t frame_us;       // start time of the current frame
  int64_t gaps_us; // total length of the gaps between the host's frames, which do not count as silence of its peers
  script_match_chat_line_t chat[MATCH_CHAT_LINES_SHOWN]; // visible lines
  float chat_age_s[MATCH_CHAT_LINES_SHOWN];
  char badge[192];
  match_lines_o *lines; // lines of the report; NULL without lines
};

// Returns the time of the match, which stops while this machine, as the host, runs no frames.
static inline int64_t match_play_now_us(const match_play_o *p) {
  return now_ns() / 1000 - p->gaps_us;
}

// --- match_connect.c: sockets, joining and a lost host

// Opens the socket and, for the host, prints its address. Returns true on success, or false with a message.
bool match_connect_open(match_play_o *p, error_info_t *error);
// Continues the lookup of a host, the search for a host, or the attempt to join or rejoin.
void match_connect_update(match_play_o *p, int64_t now_us);
// Handles the end of the connection to the host: saves the match, then continues as the host or tries to join again.
// The match fails if the connection was closed for a reason (match_close_t), or if there is no state to save. In a
// served world, joins the room again, or moves to a different room.
void match_connect_lose_host(match_play_o *p, int64_t now_us);
// Makes this machine the host of the match after the host was lost.
void match_connect_continue_as_host(match_play_o *p, int64_t now_us);
// Ends the match with a failure: the host has refused this machine, or this machine has rejected the host's key.
void match_connect_fail_refused(match_play_o *p);
// Compares the key of a host with --key or with its known key. If they differ, notes the problem for
// match_connect_fail_refused. See check_host of match_link_desc_t.
bool match_connect_check_key(match_play_o *p, const link_address_t *address, const uint8_t *key, bool *is_trusted);
// Starts to join the host at an address.
void match_connect_join(match_play_o *p, int64_t now_us, const link_address_t *host);
// Ends the match with a failure, and reports it. `details`: a line for developers, or "".
void match_connect_fail(match_play_o *p, const match_text_t *text, const char *details);

// --- match_lan.c: the local network

// Host: starts to answer searches. Logs a warning on failure.
void match_lan_open(match_play_o *p);
// Host: answers the searches that have arrived.
void match_lan_answer(match_play_o *p, int64_t now_us);
// Joiner: searches for a host of the same game, until a host is found or 5 seconds have passed. Returns true on
// success, or false with a message if the search cannot begin.
bool match_lan_begin_search(match_play_o *p, int64_t now_us, error_info_t *error);
void match_lan_update_search(match_play_o *p, int64_t now_us);
// Search for the machine of the same match that continues as the host, after the host was lost. A machine that
// continues as the host itself also searches, until p->lan_end_us, because it may have to give way to a different host.
// match_lan_find_successor stores an answer in p->successor. Any machine in the network can forge an answer, so
// match_lan_is_successor must confirm the host's key before this machine sends its token.
void match_lan_begin_successor_search(match_play_o *p, int64_t now_us);
bool match_lan_find_successor(match_play_o *p, int64_t now_us);
bool match_lan_is_successor(const match_play_o *p, const uint8_t *host_key);
void match_lan_end_search(match_play_o *p);

// --- match_lobby.c: the lobby, and the game after it

// Returns true if the match runs unattended: with --headless, --ticks or --replay.
bool match_lobby_is_unattended(const options_t *o);
// Stores the game that follows the lobby, and the name of the player. Call before the match is created.
void match_lobby_init(match_play_o *p);
// Host: enters the lobby, unless the options exclude it. Returns true on success, or false with a message if it cannot
// start.
bool match_lobby_begin(match_play_o *p, error_info_t *error);
// Implements match_game_desc_t.enter: replaces the game with the lobby, or the lobby with the game.
game_o *match_lobby_enter(void *context, bool is_lobby, uint64_t seed);
// Applies requests of the lobby: the host begins the game, and a machine leaves if one of its players leaves.
void match_lobby_apply_requests(match_play_o *p, const script_requests_t *requests);
// Stores the name of this machine's first player for the next match.
void match_lobby_store_name(match_play_o *p);

// --- match_moderation.c: actions on players

// Executes the action that the user has chosen in the menu, and passes the current players to the menu.
void match_moderation_update_menu(match_play_o *p, int64_t now_us);

// --- match_question.c: machines that ask to join

// Applies the answer chosen with the mouse or a pad. Without an answer, writes the question about the oldest request.
void match_question_update(match_play_o *p);
// Returns the answer that pads have given in this frame: Y accepts, X refuses, the left shoulder button refuses always.
// Outside the lobby, Back must be held, because the game reads these buttons, too.
match_answer_t match_question_read_pads(const input_state_t *now, const input_state_t *before, bool in_lobby);
// Returns true if a pad is connected.
bool match_question_has_pad(const match_play_o *p);
// Returns true if the button of any pad was pressed in this frame.
bool match_question_is_pad_pressed(const match_play_o *p, uint32_t button);

// --- match_panel.c: the panel in the middle of the screen

// Executes the action that the user has chosen in the panel, and writes the panel.
void match_panel_update(match_play_o *p, int64_t now_us);
// Adds a button to the question or the panel. `text`: key of its string. `key`, `pad`: controls with the same effect.
void match_panel_add_button(const match_play_o *p, script_match_box_t *box, uint32_t button, const char *text,
                            const char *key, const char *pad);
// Shows the question, the panel and the chat in the menu. Without a menu, adds notices with the titles and keys of the
// question and the panel.
void match_panel_show_boxes(match_play_o *p);

// --- match_status.c

// Returns "the host", or "the room" in a served world.
const char *match_status_get_host_title(const match_play_o *p);
// Adds a notice in the language of the game.
void match_status_add_notice(match_play_o *p, notice_kind_t kind, const match_text_t *text);
// Logs or prints a match event, and shows the notice for players, if any.
void match_status_report(match_play_o *p, const match_event_t *event);
// Logs and shows why a change of the code was refused. `text`: a line for players and, after '\n', a line for
// developers. The error card stays until the change is accepted or a key hides it. `is_own`: the card shows this
// machine's source.
void match_status_show_refused_change(match_play_o *p, const char *text, bool is_own);
// Writes the command line with which a different machine can join this match.
void match_status_format_command(const match_play_o *p, char out[192]);
#define MATCH_ADDRESSES_TEXT_BYTES (LINK_UDP_MAX_OWN_ADDRESSES * LINK_ADDRESS_TEXT_BYTES)
// Writes the addresses of this machine, which is the host, separated by commas. Returns `out`.
const char *match_status_format_addresses(const match_play_o *p, char out[MATCH_ADDRESSES_TEXT_BYTES]);
// Updates the pings and the connection states of the players.
void match_status_update_players(match_play_o *p);
// Returns the text of the badge, which names a problem with the connection or the match. The text's key is NULL if
// there is no problem. `value`: storage for the text's value. If the text names a player, the value is the player's
// number. `has_begun`: true once the game has begun.
match_text_t match_status_get_badge(const match_status_t *status, bool has_begun, char value[24]);
// Sends the line that the player has written in the menu, and shows the lines that have arrived.
void match_status_update_chat(match_play_o *p, int64_t now_us);

// --- match_report.c

// Adds a line to the report. If the report is full, drops the oldest line.
void match_report_add_line(match_play_o *p, match_line_kind_t kind, uint64_t tick, const char *text);

// --- match_world.c: rooms of a served world

// Returns true if the match is a room of a served world. Its machines never continue as the host, never search for a
// different host, and store no save, because the world recovers the room.
bool match_world_is_used(const match_play_o *p);
// Stores the address of the world, and requests the room.
void match_world_begin(match_play_o *p, int64_t now_us, const link_address_t *world);
// Receives answers of the world, and sends requests to it while the room is silent, starts or is lost.
void match_world_update(match_play_o *p, int64_t now_us);
// Handles the end of an attempt to join the room.
void match_world_handle_end(match_play_o *p, int64_t now_us, match_link_state_t state);
// Handles the end of the connection to the room. `failure`: reason for which the connection was closed; NULL: this
// machine joins the room again.
void match_world_lose_room(match_play_o *p, int64_t now_us, const match_failure_t *failure);
// Asks the world for the room to which this machine's players have moved.
void match_world_move(match_play_o *p, int64_t now_us);
// Checks the key of a process of the world, as check_host of match_link_desc_t does.
bool match_world_check_key(match_play_o *p, const link_address_t *address, const uint8_t *key, bool *is_trusted);
void match_world_end(match_play_o *p);

#endif

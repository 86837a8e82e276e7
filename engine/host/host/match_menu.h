// The menu that a player opens during a match with Escape or Start: back to the game, options, chat, players, leave. T
// opens the chat, unless the game uses T. The menu is a second game with a small local world
// (scripts/shoal/kit/match_menu.lua). Remote machines do not show the menu, and the match continues while it is open.
// The open menu receives the input of this machine, and the match receives none from this machine. The menu changes the
// settings and key bindings of this machine. It also shows boxes, which receive only the mouse, and the last lines of
// the chat in front of the game. Main thread only.
#ifndef SHOAL_HOST_MATCH_MENU_H
#define SHOAL_HOST_MATCH_MENU_H

#include "host/match_moderation.h"
#include "match/match.h"
#include "platform/input.h"
#include "script/vm_desc.h"

#include <stdbool.h>

typedef struct host_o host_o;
typedef struct match_menu_o match_menu_o;

// Creates the closed menu of the running game, which declares players. Returns the menu, or NULL after logging a
// warning if the files of the game cannot be loaded.
match_menu_o *match_menu_create(host_o *h);
void match_menu_destroy(match_menu_o *m); // accepts NULL

// Sets the text with the addresses at which machines can join this host; NULL if this machine is not the host. Call
// again when this machine replaces a lost host.
void match_menu_set_addresses(match_menu_o *m, const char *addresses);

// Sets the players that the menu shows: the fields `names` to `bans` of `players`, and `is_host`.
void match_menu_set_players(match_menu_o *m, const script_match_menu_t *players);
// Moves the action that the user has chosen, and the number of its player, to the outputs and returns true. Returns
// false if the user has chosen no action.
bool match_menu_pop_moderation(match_menu_o *m, match_moderation_t *action, uint32_t *number);

// Sets the texts of the boxes, by match_box_t, and the lines of the chat that are shown (MATCH_CHAT_LINES_SHOWN).
void match_menu_set_boxes(match_menu_o *m, const script_match_box_t *boxes, const script_match_chat_line_t *chat);
// Returns the number, from 1, of the box's button that was pressed since the previous call; 0 if no button was pressed.
uint32_t match_menu_pop_button(match_menu_o *m, match_box_t box);

// Runs the menu for a frame, after the devices were sampled. Removes the input that the menu receives from `sample`.
// `may_open`: true while the game of the match runs. Otherwise, the menu is closed. `in_lobby`: keys do not open the
// menu, but it stays open (match_menu_open_players).
void match_menu_run_frame(match_menu_o *m, input_state_t *sample, bool may_open, bool in_lobby);
// Opens the menu at the options page. The menu closes when that page is closed.
void match_menu_open_options(match_menu_o *m);
// Opens the menu at the players page, from the lobby. The menu closes when that page is closed.
void match_menu_open_players(match_menu_o *m);
// Opens the menu at the question "Leave the match?". The answer "Stay" closes the menu.
void match_menu_open_question(match_menu_o *m);
// Returns the chat line that the player has entered, or NULL if no line is pending. After sending the line, call
// match_menu_answer_line, which closes the page or, if the line could not be sent, shows the reason.
const char *match_menu_get_line(const match_menu_o *m);
void match_menu_answer_line(match_menu_o *m, match_chat_result_t result);
bool match_menu_is_open(const match_menu_o *m);
bool match_menu_leaves(const match_menu_o *m); // returns true once the player has chosen to leave the match
// Draws the open menu, the boxes and the chat lines in front of the game. `dt_s`: time since the last frame.
void match_menu_draw(match_menu_o *m, float dt_s);

#endif

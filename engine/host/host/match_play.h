// Plays a match over a network: the options --host, --join and --net-sim. The match module (match/match.h) determines
// the inputs of each tick. This module owns the socket, the files and the clock, and reports events to players.
//
// Lines for other programs, flushed to stdout: "listening: ADDRESS:PORT" and "key: CODE" of a host, "desync: …", and
// with --hash "tick T hash H" of confirmed ticks.
#ifndef SHOAL_HOST_MATCH_PLAY_H
#define SHOAL_HOST_MATCH_PLAY_H

#include "base/error.h"
#include "platform/host_keys.h"

#include <stdbool.h>

typedef struct host_o host_o;
typedef struct match_play_o match_play_o;
typedef struct pose_corrections_t pose_corrections_t; // defined in poses/pose_corrections.h

// Begins the match that the options request. Call after the game has started. Returns true on success or without these
// options, or false with a message, for example if the game cannot be played in a match, or the port cannot be opened.
bool match_play_begin(host_o *h, error_info_t *error);
// Begins the match that the menu has requested. Call after the match's game has been loaded. Returns true on success or
// without a request. On failure, restores the options, requests the menu, which shows the reason, and returns false. If
// the game could not start, only restores the options and returns true: the error card shows the reason.
bool match_play_begin_requested(host_o *h);
void match_play_end(host_o *h);

// Runs a frame of the match: receives datagrams, runs the ticks that are due, and sends datagrams.
void match_play_run_frame(host_o *h);
// Returns the differences between the drawn poses and the world's poses after rollbacks, or NULL without a match.
const pose_corrections_t *match_play_get_corrections(const host_o *h);
// On the host, ends the match, and waits for at most 3 s until its peers have confirmed the end. On a peer, leaves the
// match. Afterwards, the world has its confirmed state. Call at the end of the run, before the final output.
void match_play_finish(host_o *h);
// Prints the last confirmed tick and its hash, if a tick was confirmed.
void match_play_print_hash(const host_o *h);

// Pause or resume the match, or restart the game, on all machines. On a peer, each function only shows a notice.
void match_play_toggle_pause(host_o *h);
void match_play_restart(host_o *h);
// Applies requests in a match: leaving it, a restart, changed files of the game. Call before game_switch_apply, which
// ignores these requests in a match. Does nothing without a match.
void match_play_apply_requests(host_o *h);
// During a match, shows that `what` is not available, and returns true. Returns false without a match.
bool match_play_refuses(host_o *h, const char *what);

// Answers the question whether a machine may join, and returns true if `key` is one of its keys. Returns false for a
// different key or without a question.
bool match_play_answers_key(host_o *h, host_key_t key);

// Returns true if the match menu is open and receives the input of this machine.
bool match_play_has_open_menu(const host_o *h);
// Returns true if players may need to click: the match is paused, or shows a menu, a question or a panel.
bool match_play_needs_pointer(host_o *h);
// Draws the match menu, if it is open, the question, the panel and the chat lines. `dt_s`: time since the last frame.
void match_play_draw_menu(const host_o *h, float dt_s);

// Returns the text of the badge, a line on the screen about a problem with the connection or the match, or NULL if the
// badge is hidden.
const char *match_play_get_badge(host_o *h);

#endif

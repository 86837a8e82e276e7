// Shared reloads on this machine: the files that the user has changed, and the trials of changes from any machine.
// Changed code from other machines exists only in memory and is never written to disk. It can use only the plugins of
// the running game and no FFI, even if the game is trusted.
#ifndef SHOAL_HOST_MATCH_RELOAD_H
#define SHOAL_HOST_MATCH_RELOAD_H

#include "match/match_game.h"
#include "reload/reload_verdict.h"
#include "script/sources.h"

typedef struct host_o host_o;
typedef struct match_reload_o match_reload_o;

// Creates the state of shared reloads. The running code becomes the code at the start. Call after the game has started.
match_reload_o *match_reload_create(host_o *h);
void match_reload_destroy(match_reload_o *r); // accepts NULL

// Returns the functions for match_game_create, valid until match_reload_destroy. `accepts`: true if this machine
// accepts changed code.
match_code_t match_reload_get_code(match_reload_o *r, bool accepts);
// Sets the object that is notified when the code is replaced. Borrowed.
void match_reload_set_game(match_reload_o *r, match_game_o *mg);

// Returns the sources of the game that was running when `r` was created.
sources_o *match_reload_get_start(const match_reload_o *r);
// Returns the changes that the most recent successful trial would make to the state.
const reload_news_t *match_reload_get_news(const match_reload_o *r);

// Returns true if this machine accepts changed code, and the running code differs from the code at the start.
bool match_reload_has_changed(const match_reload_o *r);

// Notes that files have changed on disk. match_reload_propose proposes the changes.
void match_reload_note_changes(match_reload_o *r);
// Proposes the noted changes, once earlier proposals have been decided. Returns true on success or if the proposal must
// wait. Returns false with a message (a line for players and a line for developers) if the changes cannot be shared.
bool match_reload_propose(match_reload_o *r, match_o *m, int64_t now_us, error_info_t *error);
// Notes the result of this machine's proposal: the reason for which it was refused, or NULL if it was accepted.
void match_reload_note_result(match_reload_o *r, const char *refusal);

#endif

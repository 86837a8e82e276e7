// The kinds of changes and polls of a room's writer. To add a kind, add it to room_answers.h and to the table in
// room_changes.c.
#ifndef SHOAL_SERVED_ROOM_CHANGES_H
#define SHOAL_SERVED_ROOM_CHANGES_H

#include "served/world_store.h"

// Applies the changes of a transaction, in order. Must follow the UPDATE of the room's row, in the same transaction. If
// the rows do not allow a change, its function adds an answer, and reports no error.
store_result_t room_changes_apply(world_store_o *s, const room_claim_t *claim, const room_commit_t *commit,
                                  error_info_t *error);

// Returns true if changes of this kind require work after their commit.
bool room_changes_has_after(room_change_kind_t kind);
// Does the work of a change after its commit. Runs outside a transaction, and must only read.
store_result_t room_changes_run_after(world_store_o *s, const room_claim_t *claim, const room_change_t *change,
                                      room_answers_t *answers, error_info_t *error);

// Reads rows that different processes have written for this room. Runs outside a transaction. Each poll adds an answer
// for the same row until the room has handled the row. If the poll of a kind fails, it adds no answers.
void room_changes_poll(world_store_o *s, const room_claim_t *claim, room_answers_t *answers);

#endif

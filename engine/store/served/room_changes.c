// Applies changes and polls by kind.
#include "served/room_changes.h"

#include "base/assert.h"
#include "served/accounts.h"
#include "served/code_rows.h"
#include "served/chronicle_rows.h"
#include "served/commands.h"

typedef store_result_t (*change_function_t)(world_store_o *s, const room_claim_t *claim, const uint8_t *bytes,
                                            size_t size, room_answers_t *answers, error_info_t *error);

typedef struct change_functions_t {
  change_function_t apply; // called in the transaction, and again each time the transaction is repeated
  change_function_t after; // called once after the commit; may be NULL
} change_functions_t;

static const change_functions_t KINDS[ROOM_CHANGE_COUNT] = {
    [ROOM_CHANGE_CLAIM] = {account_claim_apply, NULL},         [ROOM_CHANGE_LEAVE] = {account_leave_apply, NULL},
    [ROOM_CHANGE_CODE] = {code_refusal_apply, NULL},           [ROOM_CHANGE_CHRONICLE] = {chronicle_apply, NULL},
    [ROOM_CHANGE_COMMAND_TAKEN] = {command_taken_apply, NULL}, [ROOM_CHANGE_COMMAND_DONE] = {command_done_apply, NULL},
};

typedef store_result_t (*poll_function_t)(world_store_o *s, const room_claim_t *claim, room_answers_t *answers,
                                          error_info_t *error);

static const poll_function_t POLLS[] = {account_poll_wanted, code_poll_next, commands_poll};

store_result_t room_changes_apply(world_store_o *s, const room_claim_t *claim, const room_commit_t *commit,
                                  error_info_t *error) {
  store_result_t result = STORE_DONE;
  if (commit->answers)
    room_answers_clear(commit->answers);
  for (uint32_t i = 0; result == STORE_DONE && i < commit->change_count; ++i) {
    const room_change_t *c = &commit->changes[i];
    if (KINDS[c->kind].apply)
      result = KINDS[c->kind].apply(s, claim, c->bytes, c->size, commit->answers, error);
  }
  return result;
}

bool room_changes_has_after(room_change_kind_t kind) {
  return KINDS[kind].after != NULL;
}

store_result_t room_changes_run_after(world_store_o *s, const room_claim_t *claim, const room_change_t *change,
                                      room_answers_t *answers, error_info_t *error) {
  return KINDS[change->kind].after(s, claim, change->bytes, change->size, answers, error);
}

void room_changes_poll(world_store_o *s, const room_claim_t *claim, room_answers_t *answers) {
  error_info_t error = {0};
  for (size_t i = 0; i < sizeof POLLS / sizeof *POLLS; ++i) {
    size_t before = answers->size;
    if (POLLS[i](s, claim, answers, &error) != STORE_DONE)
      answers->size = before;
  }
}

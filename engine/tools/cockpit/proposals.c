// Requests that change the game's files: runs the proposer, then shows the change or writes it.
#include "cockpit/proposals.h"

#include "base/assert.h"
#include "base/nearest_name.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/game_files.h"
#include "cockpit/kind_edit.h"
#include "cockpit/level_map.h"
#include "cockpit/level_scene.h"
#include "cockpit/undo_stack.h"

#include <stdio.h>

static const struct {
  const char *kind;
  proposer_t propose;
} proposers[] = {
    {"component", kind_propose_component}, {"assemblage", kind_propose_assemblage},
    {"behaviour", kind_propose_behaviour}, {"system", kind_propose_system},
    {"rename", kind_propose_rename},       {"map", level_map_propose},
    {"scene", level_scene_propose},        {NULL, NULL}, // end of the table
};

static proposer_t find_proposer(const json_t *request, error_info_t *error) {
  const char *kind = get_text_member(request, "what");
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  nearest_name_t nearest;
  nearest_name_init(&nearest, kind);
  for (size_t i = 0; proposers[i].kind; ++i) {
    if (strcmp(proposers[i].kind, kind) == 0)
      return proposers[i].propose;
    nearest_name_offer(&nearest, proposers[i].kind);
  }
  error_set(error, "unknown proposal %.64s%s", kind, nearest_name_hint(&nearest, hint, sizeof hint));
  return NULL;
}

uint32_t proposal_write_files(cockpit_o *cockpit, file_changes_t *files, const char *stamp, const char *title,
                              error_info_t *error) {
  shoal_assert(!cockpit_is_read_only(cockpit), "a read-only cockpit cannot write files");
  if (!file_changes_apply(files, stamp, error))
    return 0;
  for (uint32_t i = 0; i < files->files.count; ++i)
    if (file_changes_is_changed(&files->files.items[i]))
      log_info(host_log(cockpit->host), "%s: wrote %s", files->files.items[i].name, title);
  game_files_notify_change(cockpit, files);
  return undo_push_files(cockpit, files);
}

static void describe_proposal(proposal_t *proposal, json_writer_t *out) {
  json_write_pair(out, "title", proposal->title);
  json_write_key(out, "problems");
  json_write_begin(out, '[');
  if (proposal->problem_count > 0)
    json_write_raw(out, proposal->problems.text.items, proposal->problems.text.count);
  json_write_end(out, ']');
  file_changes_describe(&proposal->files, out);
  json_write_key(out, "unsure");
  json_write_begin(out, '[');
  if (proposal->unsure_mentions.text.count > 0)
    json_write_raw(out, proposal->unsure_mentions.text.items, proposal->unsure_mentions.text.count);
  json_write_end(out, ']');
}

static bool apply_proposal(proposal_t *proposal, json_writer_t *out, error_info_t *error) {
  const char *stamp = json_string_value(json_object_get(proposal->request, "stamp"));
  if (proposal->problem_count > 0)
    return error_set(error, "%s", proposal->first_problem);
  if (!stamp)
    return error_set(error, "“stamp” is missing: send the stamp that `propose` returned");
  describe_proposal(proposal, out);
  uint32_t step = proposal_write_files(proposal->cockpit, &proposal->files, stamp, proposal->title, error);
  if (step)
    json_write_integer_pair(out, "undo", step);
  return step != 0;
}

bool proposal_run(cockpit_o *cockpit, const json_t *request, bool applies, json_writer_t *out, error_info_t *error) {
  proposal_t proposal = {.cockpit = cockpit, .request = request};
  host_state_t host_state;
  proposer_t propose = find_proposer(request, error);
  if (!propose)
    return false;
  host_get_state(cockpit->host, &host_state);
  file_changes_init(&proposal.files, &cockpit->memory, host_state.folder);
  json_writer_init(&proposal.problems, &cockpit->memory);
  json_writer_init(&proposal.unsure_mentions, &cockpit->memory);
  bool ok = propose(&proposal, error);
  shoal_assert(proposal.problem_count == 0 || file_changes_count(&proposal.files) == 0,
               "a proposal with problems changes files");
  if (ok && applies)
    ok = apply_proposal(&proposal, out, error);
  else if (ok)
    describe_proposal(&proposal, out);
  json_writer_fini(&proposal.problems);
  json_writer_fini(&proposal.unsure_mentions);
  file_changes_fini(&proposal.files);
  return ok;
}

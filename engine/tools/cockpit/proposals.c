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
  const char *what;
  proposer_t propose;
} proposers[] = {
    {"component", kind_propose_component}, {"assemblage", kind_propose_assemblage},
    {"behaviour", kind_propose_behaviour}, {"system", kind_propose_system},
    {"rename", kind_propose_rename},       {"map", level_map_propose},
    {"scene", level_scene_propose},        {NULL, NULL}, // end
};

static proposer_t find_proposer(const json_t *request, error_info_t *error) {
  const char *what = text_member(request, "what");
  char hint[SIMILAR_MAX + 32];
  nearest_name_t nearest;
  nearest_name_init(&nearest, what);
  for (size_t i = 0; proposers[i].what; ++i) {
    if (strcmp(proposers[i].what, what) == 0)
      return proposers[i].propose;
    nearest_name_offer(&nearest, proposers[i].what);
  }
  error_set(error, "unknown proposal %.64s%s", what, nearest_name_hint(&nearest, hint, sizeof hint));
  return NULL;
}

uint32_t proposal_write_files(cockpit_o *c, file_changes_t *files, const char *stamp, const char *title,
                              error_info_t *error) {
  shoal_assert(!c->read_only, "a read-only cockpit cannot write files");
  if (!file_changes_apply(files, stamp, error))
    return 0;
  for (uint32_t i = 0; i < files->files.count; ++i)
    if (file_changes_is_changed(&files->files.items[i]))
      log_info(host_log(c->host), "%s: wrote %s", files->files.items[i].name, title);
  game_files_notify_change(c, files);
  return undo_push_files(c, files);
}

static void describe_proposal(proposal_t *x, json_writer_t *out) {
  json_write_pair(out, "title", x->title);
  json_write_key(out, "problems");
  json_write_begin(out, '[');
  if (x->problem_count > 0)
    json_write_raw(out, x->problems.text.items, x->problems.text.count);
  json_write_end(out, ']');
  file_changes_describe(&x->files, out);
  json_write_key(out, "unsure");
  json_write_begin(out, '[');
  if (x->unsure.text.count > 0)
    json_write_raw(out, x->unsure.text.items, x->unsure.text.count);
  json_write_end(out, ']');
}

static bool apply_proposal(proposal_t *x, json_writer_t *out, error_info_t *error) {
  const char *stamp = json_string_value(json_object_get(x->request, "stamp"));
  if (x->problem_count > 0)
    return error_set(error, "%s", x->first_problem);
  if (!stamp)
    return error_set(error, "“stamp” is missing: send the stamp that `propose` returned");
  describe_proposal(x, out);
  uint32_t step = proposal_write_files(x->c, &x->files, stamp, x->title, error);
  if (step)
    json_write_integer_pair(out, "undo", step);
  return step != 0;
}

bool proposal_run(cockpit_o *c, const json_t *request, bool applies, json_writer_t *out, error_info_t *error) {
  proposal_t x = {.c = c, .request = request};
  host_state_t host_state;
  proposer_t propose = find_proposer(request, error);
  if (!propose)
    return false;
  host_get_state(c->host, &host_state);
  file_changes_init(&x.files, &c->memory, host_state.folder);
  json_writer_init(&x.problems, &c->memory);
  json_writer_init(&x.unsure, &c->memory);
  bool ok = propose(&x, error);
  shoal_assert(x.problem_count == 0 || file_changes_count(&x.files) == 0, "a proposal with problems changes files");
  if (ok && applies)
    ok = apply_proposal(&x, out, error);
  else if (ok)
    describe_proposal(&x, out);
  json_writer_fini(&x.problems);
  json_writer_fini(&x.unsure);
  file_changes_fini(&x.files);
  return ok;
}

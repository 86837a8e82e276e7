// Requests that change the game's files. `propose` returns the change as diffs with a stamp. `apply`, with this stamp,
// writes the change. `undo`, with the number in the response of `apply`, restores the files. The member `what` selects
// the proposer, a function that computes the new contents. See the table in proposals.c.
//
// Proposers do not keep state between the requests: `apply` computes the change again from the request and the current
// files. The stamp of `apply` matches only if the result is the change that was shown.
#ifndef SHOAL_COCKPIT_PROPOSALS_H
#define SHOAL_COCKPIT_PROPOSALS_H

#include "base/error.h"
#include "base/json_writer.h"
#include "cockpit/file_changes.h"
#include "cockpit/proposal_problems.h"

#include <jansson.h>

typedef struct cockpit_o cockpit_o;

// A change that a proposer computes.
typedef struct proposal_t {
  cockpit_o *cockpit;
  const json_t *request;
  file_changes_t files;   // changed files (file_changes_read, file_changes_put)
  char title[160];        // subject of the change, for the log: "assemblage wasp"
  json_writer_t problems; // list of invalid members of the request
  uint32_t problem_count;
  json_writer_t unsure_mentions; // list of { "file", "line", "text" }: unchanged lines that may need the change
  char first_problem[600];
} proposal_t;

// Computes the change that x->request describes. Invalid members of the request are reported with proposal_add_problem,
// so that a form can show all of them next to its fields. Returns true on success and after such reports. Returns false
// with an error on other failures.
typedef bool (*proposer_t)(proposal_t *x, error_info_t *error);

// Handles `propose` or, if `applies` is true, `apply`. `propose` returns "title", "problems" (a list of { "at", "text"
// }), "files" and "stamp" (file_changes_describe), and "unsure", the mentions that may have a different meaning. If
// there are problems, "files" is empty. `apply` needs the request of `propose` and its "stamp". It returns the same
// members, and "undo", the number of the undo step.
bool proposal_run(cockpit_o *cockpit, const json_t *request, bool applies, json_writer_t *out, error_info_t *error);

// Writes a change whose stamp the user has seen. Adds an undo step, which takes over the contents of `files`, and
// requests a reload if needed. Returns the step's number, or 0 with an error if file_changes_apply fails.
uint32_t proposal_write_files(cockpit_o *cockpit, file_changes_t *files, const char *stamp, const char *title,
                              error_info_t *error);

#endif

// Changes of files that reloads have refused, and that are still on disk. A reload that fails only because of such a
// change is repeated with the contents that these files have in the running game, so that the error of an earlier
// change neither hides the errors of a later change nor prevents the later change. Main thread only. See design/0010.
#ifndef SHOAL_HOST_REFUSED_CHANGES_H
#define SHOAL_HOST_REFUSED_CHANGES_H

#include "base/array.h"
#include "base/script_report.h"
#include "game/game.h"
#include "overlay/error_card.h"

typedef struct refused_file_t {
  char *name;    // name of the file; owned
  uint64_t hash; // hash of the refused contents; 0 if the change has deleted the file
} refused_file_t;

typedef struct refused_change_t {
  script_report_t report;
  ARRAY(refused_file_t) files; // files that differed from the running game, except files of earlier refused changes
  bool is_held;                // true if the current reload leaves this change out
} refused_change_t;

// Zero-initialized: no change is refused.
typedef struct refused_changes_t {
  ARRAY(refused_change_t) changes; // oldest first; at most ERROR_CARD_MAX_REPORTS
  ARRAY(const char *) held_files;  // names of the files of held changes, owned by `changes`
  bool is_repeating; // true if the next reload leaves out the held changes; reset by a save before that reload begins
} refused_changes_t;

typedef enum refused_verdict_t {
  REFUSED_NEW,    // the failure must be reported
  REFUSED_KNOWN,  // the failure is known: only files of reported changes differ from the running game
  REFUSED_REPEAT, // a refused change causes the failure, and newer changes must be tried without it
} refused_verdict_t;

void refused_changes_clear(refused_changes_t *r, allocator_t *memory);
// Begins a reload. If it repeats a reload (REFUSED_REPEAT), it leaves out the held changes.
void refused_changes_begin(refused_changes_t *r);
// Classifies a failed reload of the game `running`. Drops changes whose files have changed on disk since they were
// refused, because these files now belong to the newest change. `must_report`: true if a caller waits for the result.
refused_verdict_t refused_changes_judge(refused_changes_t *r, allocator_t *memory, const game_o *running,
                                        const script_report_t *report, bool must_report);
// Adds the newest change, whose reload has failed with this report. If no other file differs from the running game,
// only updates the change that has caused the report.
void refused_changes_add(refused_changes_t *r, allocator_t *memory, const game_o *running,
                         const script_report_t *report);
// Drops changes that the game `fresh` contains, and changes whose files have changed on disk.
void refused_changes_drop_applied(refused_changes_t *r, allocator_t *memory, const game_o *fresh);
// Writes the names of the files of all changes, or only of the held changes, such as "components.lua, systems/a.lua".
// Names that do not fit are omitted. Returns `out`.
char *refused_changes_list_files(const refused_changes_t *r, bool only_held, char *out, size_t bytes);
// Shows all changes on the card, the newest first.
void refused_changes_show(const refused_changes_t *r, error_card_t *card, const char *game_folder,
                          const char *engine_folder);
// Appends all changes to a card that shows a different failure.
void refused_changes_append(const refused_changes_t *r, error_card_t *card);

#endif

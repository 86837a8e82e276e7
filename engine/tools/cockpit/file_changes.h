// Proposed changes of a game's files: shown as diffs, then written together, and undone as long as the files have not
// changed since.
//
// A tool reads files with file_changes_read and stores their new contents with file_changes_put. A later read returns
// the new text, so several edits add up. Nothing is written until file_changes_apply, which receives the stamp that was
// shown with the diffs. The stamp covers the old and the new contents of all changed files. If a file has changed in
// the meantime, nothing is written, and the caller proposes the change again from the new contents.
//
//   file_changes_t x;
//   file_changes_init(&x, memory, folder);                    // the game's folder, an absolute path
//   const char *text = file_changes_read(&x, "game.lua", &bytes, error);
//   … compute the new text …
//   file_changes_put(&x, "game.lua", edited, edited_bytes, error);
//   file_changes_describe(&x, out);                           // to show it: "stamp" and "files"
//   file_changes_apply(&x, shown_stamp, error);               // to write it
//   file_changes_undo(&x, error);                             // later: restores the old contents
//   file_changes_fini(&x);
//
// In the cockpit, the requests `propose` and `apply` do all of this (cockpit/proposals.h): a tool adds a function that
// calls file_changes_read and file_changes_put. A change that was applied becomes a step of the cockpit's undo.
#ifndef SHOAL_COCKPIT_FILE_CHANGES_H
#define SHOAL_COCKPIT_FILE_CHANGES_H

#include "base/array.h"
#include "base/error.h"
#include "base/json_writer.h"

#include <stdbool.h>
#include <stddef.h>

#define FILE_CHANGES_NAME 256u
#define FILE_CHANGES_PATH 1024u
#define FILE_CHANGES_MAX_FILES 256u
#define FILE_CHANGES_MAX_BYTES ((size_t)64 << 20) // maximum size of a file before and after its change

typedef struct file_change_t {
  char name[FILE_CHANGES_NAME]; // path relative to the game's folder: "systems/move.lua"
  char path[FILE_CHANGES_PATH]; // absolute path, with symbolic links below the game's folder resolved
  char *old_text;               // original content, terminated by '\0'; NULL if the file did not exist
  size_t old_bytes;
  char *new_text; // new content, terminated by '\0'; NULL if unchanged
  size_t new_bytes;
  bool removed;         // true if the change removes the file
  uint32_t permissions; // permissions of a removed file, for undo
  bool created_folder;  // true if apply created the file's folder, so that undo removes the folder if it is empty
} file_change_t;

typedef struct file_changes_t {
  allocator_t *memory;
  char folder[FILE_CHANGES_PATH];
  ARRAY(file_change_t) files; // files that were read; unchanged files are neither shown nor written
} file_changes_t;

// Begins a change that contains no files. `folder`: absolute path of the game's folder, which confines all files.
void file_changes_init(file_changes_t *changes, allocator_t *memory, const char *folder);
void file_changes_fini(file_changes_t *changes);

// Returns true if the file exists after the changes so far.
bool file_changes_exists(file_changes_t *changes, const char *name);
// Returns the file's text including the changes so far, terminated by '\0', and stores its length in `bytes`. Borrowed
// until the file's next change. Returns NULL with an error if the name is not a valid path inside the folder, or if the
// file is missing, unreadable or too large.
const char *file_changes_read(file_changes_t *changes, const char *name, size_t *bytes, error_info_t *error);
// Stores the new text of a file, which is copied. The file is created if it is missing. Returns true on success, or
// false with an error if the name is not a valid path inside the folder, if the existing file is unreadable, or if a
// text or the number of files is too large.
bool file_changes_put(file_changes_t *changes, const char *name, const char *text, size_t bytes, error_info_t *error);

// Removes an existing file. Returns true on success, or false with an error if the name is not a valid path inside the
// folder, or if the file is missing, unreadable or too large.
bool file_changes_remove(file_changes_t *changes, const char *name, error_info_t *error);
// Returns true if the file is created, changed or removed.
bool file_changes_is_changed(const file_change_t *change);

// Returns the number of files that are created, changed or removed.
uint32_t file_changes_count(const file_changes_t *changes);
// Writes "stamp", and "files": a list of { "file", "created", "removed", "diff" }, where the diff is in the unified
// format.
void file_changes_describe(const file_changes_t *changes, json_writer_t *out);
// Appends the stamp, which contains no characters that JSON escapes.
void file_changes_write_stamp(const file_changes_t *changes, json_writer_t *out);

// Writes all changed files, each through a temporary file and a rename, with its permissions. Returns true on success.
// Writes nothing, and returns false with an error, if there is no change, if `shown_stamp` is not the current stamp, or
// if a file has changed since it was read or cannot be written. If writing a later file fails, restores the files that
// are already written and returns false with an error.
bool file_changes_apply(file_changes_t *changes, const char *shown_stamp, error_info_t *error);
// Reverts file_changes_apply: restores the old contents, and removes created files. Returns true on success. Changes
// nothing, and returns false with an error, if one of the files has changed in the meantime or is read-only. If a file
// cannot be restored, returns false with an error; some files are then already restored.
bool file_changes_undo(file_changes_t *changes, error_info_t *error);
// Call after `undone` was undone. Undoing `changes` then also removes folders that `undone` has created, and that could
// not be removed because they contain new files of `changes`.
void file_changes_adopt_folders(file_changes_t *changes, const file_changes_t *undone);

#endif

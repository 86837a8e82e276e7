// Changes of a game's source files as bytes, to share them between the machines of a match.
//
//   number of files (varint), and for each of them, sorted by name:
//     size of the name (varint), name, hash of the text to which the change was made (8; 0: the file did not exist),
//     0 if the file is removed, or 1, size of the text (varint), text
#ifndef SHOAL_MATCH_SOURCE_BUNDLE_H
#define SHOAL_MATCH_SOURCE_BUNDLE_H

#include "base/alloc.h"
#include "script/sources.h"

#define SOURCE_BUNDLE_MAX_BYTES (1u << 20)
#define SOURCE_BUNDLE_MAX_FILES 256u
#define SOURCE_BUNDLE_MAX_NAME 200u

// Writes the files in which the sealed sources `from` and `to` differ. Returns the bytes, to be freed with
// source_bundle_free. Returns NULL with a message (a line for players and a line for developers) if the changes cannot
// be shared. Stores the number of changed files in `count`. With 0 files, the bundle is valid, but changes nothing.
uint8_t *source_bundle_write(allocator_t *a, sources_o *from, sources_o *to, size_t *size, uint32_t *count,
                             error_info_t *error);
void source_bundle_free(allocator_t *a, uint8_t *bytes, size_t size); // accepts NULL

// Returns the sealed sources `from` with the changes of a bundle applied. Returns NULL with a message, in two lines as
// above, if the bundle is malformed, or contains files that machines must not share: files that are not sources of a
// game, paths outside its folder, bytecode, or text that is not UTF-8. Safe for untrusted bytes.
sources_o *source_bundle_apply(sources_o *from, const uint8_t *bytes, size_t size, error_info_t *error);

#define SOURCE_BUNDLE_CONFLICT "A different player has changed the same file.\n" // first line of the reason to refuse

// Finds the first file whose text in `running` is neither the text to which the change was made nor the changed text.
// Copies its name and returns true. Returns false if there is no such file, or the bundle is malformed.
bool source_bundle_find_conflict(sources_o *running, const uint8_t *bytes, size_t size,
                                 char name[SOURCE_BUNDLE_MAX_NAME + 1]);
// Returns the sealed sources `base` with the texts that `running` has for the files in which `base` and `proposed`
// differ. Returns NULL if these texts are equal to the texts of `base`.
sources_o *source_bundle_rebase(sources_o *base, sources_o *proposed, sources_o *running);

// Writes the names of the changed files, such as "systems/a.lua, components.lua", to `out`. Returns `out`.
char *source_bundle_list(const uint8_t *bytes, size_t size, char *out, size_t capacity);

#endif

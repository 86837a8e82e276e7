// Properties that two machines must share to play a match: the engine's scripts, the arithmetic, the game's files and
// the plugins. Different builds can play together, for example debug and release builds, and builds for different
// processors.
#ifndef SHOAL_MATCH_MATCH_IDENTITY_H
#define SHOAL_MATCH_MATCH_IDENTITY_H

#include "match/file_hashes.h"
#include "match/match_refusal.h"

#include <stddef.h>
#include <stdint.h>

#define MATCH_IDENTITY_BYTES 768u // maximum size of the encoded form

typedef struct error_info_t error_info_t;
typedef struct game_o game_o;

typedef struct match_identity_t {
  uint64_t engine;       // hash of the engine's scripts
  uint64_t sources;      // hash of the game's code, scenes and data files
  uint64_t assets;       // hash of the game's assets, except sounds and data files
  char arithmetic[64];   // exact_math_id and the processor's rounding mode
  uint64_t plugins;      // hash of the complete list of plugins
  file_sums_t files;     // sums of the hashes of sources and assets
  bool shares_code;      // joiner: accepts changed code; host: has accepted changes, so files on disk are not compared
  char plugin_list[256]; // plugins, one per line: "box2d 1 (schema 0123456789abcdef)"; may be truncated
} match_identity_t;

// Computes the identity of a game, and adds the hashes of its files to `files`. `engine`: hash of the engine's scripts.
// Returns true on success, or false with a message (a line for players and, after '\n', a line for developers) if the
// game cannot be played in a match: it declares no players, a file cannot be read, or a plugin has side effects or
// state that a rollback would not restore.
bool match_identity_compute(const game_o *g, uint64_t engine, match_identity_t *out, file_hashes_o *files,
                            error_info_t *error);

// Writes an identity to `out` (MATCH_IDENTITY_BYTES). Returns the size.
size_t match_identity_write(const match_identity_t *identity, uint8_t *out);
// Reads an identity. Returns true on success, or false if the bytes are malformed. Safe for untrusted bytes.
bool match_identity_read(const uint8_t *bytes, size_t size, match_identity_t *out);

// Compares the identities of the host and of a joiner. Returns true if they can play together, or false with the
// reason. `files`: hashes of the host's files, with which the reason can name the files that differ; may be NULL. If
// the host has set `shares_code`, sources are not compared, because the joiner receives the changes and then compares
// the hashes.
bool match_identity_compare(const match_identity_t *host, const match_identity_t *joiner, const file_hashes_o *files,
                            match_refusal_t *refusal);
// Writes the different values that are the reason for a refusal, for developers, and returns true. Returns false and
// leaves `out` unchanged if the refusal contains no such values.
bool match_identity_explain(const match_refusal_t *refusal, const match_identity_t *joiner, const char *host_title,
                            char *out, size_t bytes);

#endif

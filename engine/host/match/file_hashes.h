// Hashes of a game's files, by which two machines find the files in which they differ. The joining machine sends sums
// of its hashes. The host answers with the names and hashes of its files that may differ. The joining machine compares
// these hashes with its own.
//
//   list: 1 if it contains all files that may differ, otherwise 0 (1 byte), bit masks of the sums that differ
//     (FILE_SUMS_BYTES / 16 bytes), and for each file: size of the name (1), name, hash (4)
#ifndef SHOAL_MATCH_FILE_HASHES_H
#define SHOAL_MATCH_FILE_HASHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Each file adds its hash to one sum in each row. The file's name determines which sum.
#define FILE_SUM_ROWS 2u
#define FILE_SUMS 96u // number of sums in each row
#define FILE_SUMS_BYTES (FILE_SUM_ROWS * FILE_SUMS * 2u)
#define FILE_DIFFERENCES 3u // maximum number of differing files that a message names
#define FILE_NAME_BYTES 64u // maximum size of a name in a message, with '\0'

typedef struct file_hashes_o file_hashes_o;

typedef struct file_sums_t {
  uint16_t sums[FILE_SUM_ROWS][FILE_SUMS];
} file_sums_t;

file_hashes_o *file_hashes_create(void);
void file_hashes_destroy(file_hashes_o *h); // accepts NULL
void file_hashes_add(file_hashes_o *h, const char *name, uint64_t hash);
file_sums_t file_hashes_sum(const file_hashes_o *h);

// Host: compares its files with the files whose sums are `joiner`. Writes the files that may differ to `out`, as many
// as fit into `capacity` bytes. Returns the size.
size_t file_hashes_write_list(const file_hashes_o *host, const file_sums_t *joiner, uint8_t *out, size_t capacity);
// Joiner: copies the names of the first FILE_DIFFERENCES files that differ from the host's list to `out`. Safe for
// untrusted bytes. Returns the number of names: 0 if the list is malformed, or contains no such file.
uint32_t file_hashes_find_differences(const file_hashes_o *joiner, const uint8_t *list, size_t size,
                                      char out[FILE_DIFFERENCES][FILE_NAME_BYTES]);

#endif

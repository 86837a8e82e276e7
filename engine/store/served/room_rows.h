// Checksums of a room's rows, over all columns except `proof`, which changes later. The checksums also cover the
// row's room and position, so a row that was moved is malformed, too. Private to served.
#ifndef SHOAL_SERVED_ROOM_ROWS_H
#define SHOAL_SERVED_ROOM_ROWS_H

#include "served/world_store.h"

uint64_t room_block_hash(int64_t room, const room_block_t *block);
uint64_t room_snapshot_hash(int64_t room, const room_snapshot_t *snapshot, const char *engine, uint64_t base);
uint64_t room_save_hash(int64_t room, const room_save_t *save, const char *engine, uint64_t base);

#endif

// Partitions of the table `chronicle` on a PostgreSQL server. All functions run in the current transaction. Private to
// served.
#ifndef SHOAL_SERVED_POSTGRES_PARTITIONS_H
#define SHOAL_SERVED_POSTGRES_PARTITIONS_H

#include "served/world_store_internal.h"

store_result_t postgres_is_partitioned(world_store_o *s, bool *out, error_info_t *error);
// Replaces the table of the schema, which has no partitions, with a partitioned table of the same rows. Views that use
// the table must be dropped first.
store_result_t postgres_partition_chronicle(world_store_o *s, error_info_t *error);
// Creates the partitions for rows that are kept for this time, and that are stored today or in the next days.
store_result_t postgres_prepare_days(world_store_o *s, int64_t keep_s, error_info_t *error);
// Drops the oldest partition of a past day, or removes a batch of rows. `changed` receives the number of removed rows,
// or CHRONICLE_BATCH_ROWS for a partition.
store_result_t postgres_remove_expired(world_store_o *s, int64_t *changed, error_info_t *error);

#endif

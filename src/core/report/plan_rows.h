/* plan_rows: the fields of `plan` and of work that several devices share, a part of field_rows.h, whose macros they
 * use.
 */
F(hosts, "hosts", PLAIN, "shares P")
F(gpus, "GPUs of each host", PLAIN, "")
F(shares, "shares P", PLAIN, "shares P")
F(efficiency, "of P times as fast", PERCENT, "")
F(limited_by, "limited by", PLAIN, "")
V(plan_total_s, total_s, "in all", SECONDS, "end to end")

/* parts of the time */
F(start_s, "opening the engine", SECONDS, "")
F(points_s, "points between hosts", SECONDS, "")
F(blocks_s, "blocks between hosts", SECONDS, "")
F(recheck_s, "pairs decided by FP64", SECONDS, "")
F(pairs_s, "pairs between hosts", SECONDS, "")
F(exchange_s, "between GPUs", SECONDS, "")
F(place_s, "placing rows", SECONDS, "")
F(rows_s, "making rows", SECONDS, "")
F(disk_s, "writing to disk", SECONDS, "")

/* bytes, of all hosts together */
F(points_sent_bytes, "points sent between hosts", BYTES, "")
F(blocks_sent_bytes, "blocks sent between hosts", BYTES, "")
F(uploaded_bytes, "uploaded to GPUs", BYTES, "")
F(pairs_sent_bytes, "pairs sent between hosts", BYTES, "")
F(exchanged_bytes, "sent between GPUs", BYTES, "")
F(downloaded_bytes, "downloaded from GPUs", BYTES, "")
F(disk_bytes, "written to disk", BYTES, "")

/* memory */
F(rank_bytes, "memory of a host", BYTES, "")
F(gpu_bytes, "memory of a GPU", BYTES, "")
F(gpu_points_bytes, "of it for points", BYTES, "")
F(gpu_pairs_bytes, "of it for pairs", BYTES, "")
F(point_blocks, "blocks of points that stream", PLAIN, "")
F(row_ranges, "ranges of rows, in turn", PLAIN, "")

/* what ranks hold, as it was set */
F(ranks_hold, "points in a rank", PLAIN, "shares P")

/* what the devices of a team did */
F(evenness, "mean work, of the longest", PERCENT, "")
F(member, "device of the team", IDENTITY, "")
F(operations_share, "of the work", PERCENT, "")
